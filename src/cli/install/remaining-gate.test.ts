import { describe, expect, it } from 'vitest'
import { inCluster } from '../../../test/sandbox/cluster.ts'
import { resources } from '../../kube/kinds/index.ts'
import { refuseRemainingGate } from './remaining-gate.ts'

const place = { namespace: 'default', name: 'carabiner' }
const gate = 'admissionregistration.k8s.io/v1'

interface World {
  create(apiVersion: string, kind: string, resource: string, more?: object): Promise<void>
  /** Creates the Deployment of the operator with these arguments. */
  operator(...args: readonly string[]): Promise<void>
  refusal(): Promise<string>
}

async function withOperators(scenario: (world: World) => Promise<void>): Promise<void> {
  await inCluster(
    async ({ client }) => {
      const labels = { 'app.kubernetes.io/part-of': 'carabiner' }
      await scenario({
        create: async (apiVersion, kind, resource, more = {}) => {
          const path = `/apis/${apiVersion}/${resource}`
          await client.raw('POST', path, { apiVersion, kind, metadata: { name: 'carabiner-gate', labels }, ...more })
        },
        operator: async (...args) => {
          const spec = { containers: [{ name: 'operator', image: 'carabiner', args }] }
          const template = { metadata: { labels }, spec }
          await client.of(resources.deployments).create({
            ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: place },
            spec: { replicas: 0, selector: { matchLabels: labels }, template },
          } as never)
        },
        refusal: () => refuseRemainingGate(client, place).then(() => 'none', String),
      })
    },
    { nodes: 0 },
  )
}

describe('an installation that turns rollouts off', () => {
  it('is refused while a gate exists and its operator runs rollouts', () =>
    withOperators(async ({ create, operator, refusal }) => {
      await create(gate, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations')
      // Without its own operator, the gate may belong to another one.
      expect(await refusal()).toBe('none')
      await operator('run')
      expect(await refusal()).toContain(
        'flag --no-rollouts: Deployment default/carabiner runs rollouts, and no other operator would release workloads held by MutatingWebhookConfiguration carabiner-gate',
      )
    }))

  it('is allowed when gate and policies are gone', () =>
    withOperators(async ({ create, operator, refusal }) => {
      await operator('run', '--rollouts', '--deployers', 'helm')
      expect(await refusal()).toBe('none')
      await create(gate, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations')
      expect(await refusal()).toContain('no other operator would release')
    }))

  it('is allowed beside the gate of another operator', () =>
    withOperators(async ({ create, operator, refusal }) => {
      await operator('run', '--no-rollouts', '--deployers', 'helm')
      await create(gate, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations')
      expect(await refusal()).toBe('none')
    }))
})
