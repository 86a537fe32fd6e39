/** A missing gate: it is reported, no rollout is managed, and it is installed again where the operator is allowed to. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEngineOn } from './engine.ts'
import { definePolicies, hasAdmissionPolicies, installGate, removeGates } from './gate.ts'
import { onCluster } from './suite.ts'
import type { Thing } from './target.ts'
import { conditionOf, deployment } from './workloads.ts'

const registrations = '/apis/admissionregistration.k8s.io/v1'

onCluster('a gate that is missing', (cluster) => {
  let hasPolicies = false
  beforeAll(async () => {
    await definePolicies(cluster)
    hasPolicies = await hasAdmissionPolicies(cluster)
  })
  afterAll(() => removeGates(cluster))

  it('[rollouts W23] stalls every policy until it is installed', async (context) => {
    if (!hasPolicies) context.skip('the API server has no admission policies')
    await removeGates(cluster)
    const engine = await startEngineOn(cluster, { install: false, use: 'policies' })
    try {
      const ns = await cluster.namespace()
      const policies = `/apis/carabiner.dev/v1alpha1/namespaces/${ns}/rolloutpolicies`
      await cluster.create(`/apis/apps/v1/namespaces/${ns}/deployments`, deployment('web', 1))
      await cluster.create(policies, {
        apiVersion: 'carabiner.dev/v1alpha1',
        kind: 'RolloutPolicy',
        metadata: { name: 'web' },
        spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      })
      const path = `${policies}/web`
      const isMissing = (found: Thing) => conditionOf(found, 'Stalled')?.reason === 'GateMissing'
      const stalled = await cluster.until(path, isMissing)
      expect(conditionOf(stalled, 'Stalled')).toMatchObject({
        status: 'True',
        message: expect.stringContaining('MutatingAdmissionPolicy carabiner-close,'),
      })
      const expectGateMetric = async (value: number) =>
        expect(await engine.metrics()).toContain(`carabiner_rollouts_gate{gate="policies"} ${value}\n`)
      await expectGateMetric(0)
      const gate = await installGate(cluster)
      await cluster.until(path, (found) => conditionOf(found, 'Ready')?.status === 'True')
      await expectGateMetric(1)
      await gate.remove()
      await cluster.until(path, isMissing)
      await expectGateMetric(0)
    } finally {
      await engine.stop()
    }
  }, 180_000)

  it('is registered again by the operator that serves the webhook', async () => {
    const engine = await startEngineOn(cluster, { use: 'webhook' })
    try {
      for (const resource of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
        const path = `${registrations}/${resource}/carabiner-gate`
        const { body: before } = await cluster.call('GET', path)
        await cluster.call('DELETE', path)
        await cluster.until(path, ({ metadata }) => metadata.uid !== before.metadata.uid)
      }
    } finally {
      await engine.stop()
    }
  }, 180_000)
})
