import { expect, it } from 'vitest'
import { inCluster } from '../../../test/sandbox/cluster.ts'
import type { KubeClient, KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { webhookConfigurations } from '../../rollouts/gate/webhook-configuration.ts'
import { rolloutPolicyDefinition } from '../../rollouts/index.ts'
import { registrationFindings } from './registrations.ts'

const apply = async (client: KubeClient, object: KubeObject) =>
  (await client.find(object.apiVersion, object.kind)).apply(object, { fieldManager: 'test', force: true })

it('names missing, changed and left over parts of the gate, and a definition of another version', async () => {
  await inCluster(
    async ({ client }) => {
      expect(await registrationFindings(client)).toEqual([])
      await apply(client, rolloutPolicyDefinition)
      const [changing, validating] = webhookConfigurations({ engine: 'e', client: { url: 'https://127.0.0.1:1/' } })
      await apply(client, changing)
      expect(await registrationFindings(client)).toMatchObject([
        { state: 'missing', detail: 'not installed: validatingwebhookconfiguration/carabiner-gate' },
      ])
      await apply(client, validating)
      expect(await registrationFindings(client)).toEqual([])
      const annotations = { 'carabiner.dev/gate': 'other', 'carabiner.dev/definition': 'other' }
      const mark = { type: 'merge', value: { metadata: { annotations } } } as const
      await client.of(resources.mutatingWebhookConfigurations).patch('carabiner-gate', mark)
      await client.of(resources.customResourceDefinitions).patch(rolloutPolicyDefinition.metadata.name, mark)
      await apply(client, { ...validating, metadata: { ...validating.metadata, name: 'carabiner-old' } })
      const found = await registrationFindings(client)
      expect(found.map(({ state, detail }) => [state, detail])).toEqual([
        ['missing', 'left over from another gate or version: validatingwebhookconfiguration/carabiner-old'],
        ['optional', 'of another version than this program: mutatingwebhookconfiguration/carabiner-gate'],
        ['optional', 'customresourcedefinition/rolloutpolicies.carabiner.dev is of another version than this program'],
      ])
      expect(found[0]?.remedy).toContain('kubectl delete validatingwebhookconfiguration/carabiner-old')
    },
    { nodes: 0 },
  )
})
