/** The policy `web` of a stage, and what its status says about the rollout. */
import { until } from '../../src/kube/until.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy, RolloutPolicySpec } from '../../src/rollouts/policy/types.ts'
import type { StageScope } from './rollout-stage-workload.ts'

export function policyOperations(scope: StageScope) {
  const { client, runtime, namespace, signal } = scope
  const where = { namespace }
  const web = { name: 'web', namespace }
  // Each wait has its own signal, because many listeners on one signal are reported as a leak.
  const untilPolicy = (holds: (policy: RolloutPolicy) => boolean): Promise<RolloutPolicy> =>
    until(client.of<RolloutPolicy>(policyType), runtime, { ...web, signal: AbortSignal.any([signal]) }, holds)
  const create = async (spec: Omit<RolloutPolicySpec, 'targetRef'>): Promise<void> => {
    const targetRef = { apiVersion: 'apps/v1', kind: scope.target.kind, name: 'web' } as const
    const policy: RolloutPolicy = {
      apiVersion: 'carabiner.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: web,
      spec: { targetRef, ...spec },
    }
    await client.of(policyType).create(policy)
  }
  return {
    /** Creates the policy. */
    create,
    /** Creates the policy and waits until it is ready. */
    async policy(spec: Omit<RolloutPolicySpec, 'targetRef'>): Promise<void> {
      await create(spec)
      await untilPolicy(isAtRest)
    },
    /** Replaces whole fields of the policy. */
    async changePolicy(spec: Partial<RolloutPolicySpec>): Promise<void> {
      const operations = Object.entries(spec).map(([name, value]) => ({
        op: 'add' as const,
        path: `/spec/${name}`,
        value,
      }))
      await client.of(policyType).patch('web', { type: 'json', operations }, where)
    },
    /** Writes the rollout id into an annotation of the policy, as commands do. */
    async annotatePolicy(annotation: string): Promise<string> {
      const id = (await untilPolicy(() => true)).status?.rollout?.id ?? ''
      const value = { metadata: { annotations: { [annotation]: id } } }
      await client.of(policyType).patch('web', { type: 'merge', value }, where)
      return id
    },
    async removePolicy(): Promise<void> {
      await client.of(policyType).delete('web', where)
    },
    /** Returns the policy once `holds` returns true. */
    untilPolicy,
  }
}

export const isOver = (policy: { status?: { rollout?: { endedAt?: string } } }) =>
  policy.status?.rollout?.endedAt !== undefined
/** Whether the object of the hook exists in the ledger. */
export const isStarted =
  (name: string) =>
  ({ status }: RolloutPolicy): boolean =>
    status?.rollout?.hooks.some((record) => record.name === name && record.object !== undefined) === true
/** Whether no rollout is running and none is needed. */
export const isAtRest = ({ status }: RolloutPolicy): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false

export const hasEnded =
  (phase: string, type = 'ROLLOUT') =>
  (policy: RolloutPolicy): boolean =>
    isOver(policy) && policy.status?.rollout?.phase === phase && policy.status.rollout.type === type
