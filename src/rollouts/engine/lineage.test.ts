import { describe, expect, it } from 'vitest'
import type { EndedRollout, RolloutPolicy } from '../policy/types.ts'
import { typeOf } from './lineage.ts'
import type { Revision } from './world.ts'

const revision = (name: string, more: Partial<Revision> = {}): Revision => ({
  kind: 'ReplicaSet',
  name,
  uid: name,
  number: 0,
  templateHash: name,
  createdAt: 1000,
  annotations: {},
  ...more,
})
const policy = (...rollouts: readonly (readonly [from: string, to: string])[]): RolloutPolicy => ({
  apiVersion: 'carabiner.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { name: 'web' },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  status: { history: rollouts.map(([from, to]) => ({ from, to, phase: 'Complete' }) as EndedRollout) },
})

describe('the type of a rollout', () => {
  it('is CREATE when there is nothing to come from, and ROLLOUT to what is not made yet', () => {
    expect(typeOf(policy(), undefined, revision('b'))).toBe('CREATE')
    expect(typeOf(policy(), revision('a'), undefined)).toBe('ROLLOUT')
  })

  it('is told by the first numbers of ReplicaSets that were made in the same second and used again', () => {
    const [old, young] = [revision('a', { number: 5, firstNumber: 1 }), revision('b', { number: 4, firstNumber: 2 })]
    expect(typeOf(policy(), young, old)).toBe('ROLLBACK')
    expect(typeOf(policy(), old, young)).toBe('ROLLOUT')
  })

  it('is told by what the policy has seen where ControllerRevisions were made in the same second', () => {
    const [old, young] = [revision('a', { number: 3 }), revision('b', { number: 2 })]
    const seen = policy(['b', 'a'], ['a', 'b'])
    expect(typeOf(seen, young, old)).toBe('ROLLBACK')
    expect(typeOf(seen, old, young)).toBe('ROLLOUT')
  })

  it('is told by their age otherwise', () => {
    const [old, young] = [revision('a', { number: 9, createdAt: 1000 }), revision('b', { number: 2, createdAt: 2000 })]
    expect(typeOf(policy(), young, old)).toBe('ROLLBACK')
    expect(typeOf(policy(), old, young)).toBe('ROLLOUT')
  })
})
