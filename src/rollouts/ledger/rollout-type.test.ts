import { describe, expect, it } from 'vitest'
import type { Revision } from '../observe/world.ts'
import { typeOf } from './rollout-type.ts'

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
const history = (...rollouts: readonly (readonly [from: string, to: string])[]) =>
  rollouts.map(([from, to]) => ({ from, to }))

describe('the type of a rollout', () => {
  it('is CREATE when there is nothing to come from, and ROLLOUT to what is not made yet', () => {
    expect(typeOf(history(), undefined, revision('b'))).toBe('CREATE')
    expect(typeOf(history(), revision('a'), undefined)).toBe('ROLLOUT')
  })

  it('is told by the first numbers of ReplicaSets that were made in the same second and used again', () => {
    const [old, young] = [revision('a', { number: 5, firstNumber: 1 }), revision('b', { number: 4, firstNumber: 2 })]
    expect(typeOf(history(), young, old)).toBe('ROLLBACK')
    expect(typeOf(history(), old, young)).toBe('ROLLOUT')
  })

  it('is told by what the policy has seen where ControllerRevisions were made in the same second', () => {
    const [old, young] = [revision('a', { number: 3 }), revision('b', { number: 2 })]
    const seen = history(['b', 'a'], ['a', 'b'])
    expect(typeOf(seen, young, old)).toBe('ROLLBACK')
    expect(typeOf(seen, old, young)).toBe('ROLLOUT')
  })

  it('is told by their age otherwise', () => {
    const [old, young] = [revision('a', { number: 9, createdAt: 1000 }), revision('b', { number: 2, createdAt: 2000 })]
    expect(typeOf(history(), young, old)).toBe('ROLLBACK')
    expect(typeOf(history(), old, young)).toBe('ROLLOUT')
  })
})
