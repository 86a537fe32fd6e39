import { describe, expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { resources } from '../../kube/types.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { createSandbox } from '../../sandbox/index.ts'
import { refuseToLeaveGate } from './attendance.ts'

const place = { namespace: 'default', name: 'carabiner' }
const gate = 'admissionregistration.k8s.io/v1'

interface World {
  create(apiVersion: string, kind: string, resource: string, more?: object): Promise<void>
  /** The operator with these arguments. */
  operator(...args: readonly string[]): Promise<void>
  refusal(): Promise<string>
}

async function inCluster(scenario: (world: World) => Promise<void>): Promise<void> {
  const simulation = createSimulation(1)
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 0 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
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
      refusal: () => refuseToLeaveGate(client, place).then(() => 'none', String),
    })
    await sandbox.stop()
  })
}

describe('an installation that shall go on without rollouts', () => {
  it('is refused while there is a gate that only its operator opens', () =>
    inCluster(async ({ create, operator, refusal }) => {
      await create(gate, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations')
      // It may be that of another operator.
      expect(await refusal()).toBe('none')
      await operator('run')
      expect(await refusal()).toContain(
        'flag --no-rollouts: Deployment default/carabiner runs rollouts, and nobody else opens the gate of MutatingWebhookConfiguration carabiner-gate',
      )
    }))

  it('goes on when nothing is left of them', () =>
    inCluster(async ({ create, operator, refusal }) => {
      await operator('run', '--rollouts', '--deployers', 'helm')
      expect(await refusal()).toBe('none')
      await create(gate, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations')
      expect(await refusal()).toContain('nobody else opens the gate')
    }))

  it('goes on beside the gate of another', () =>
    inCluster(async ({ create, operator, refusal }) => {
      await operator('run', '--no-rollouts', '--deployers', 'helm')
      await create(gate, 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations')
      expect(await refusal()).toBe('none')
    }))
})
