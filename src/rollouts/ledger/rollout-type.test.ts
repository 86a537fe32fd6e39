import { describe, expect, it } from 'vitest'
import type { Revision } from '../observe/world.ts'
import type { Ledger } from '../policy/types.ts'
import { type TemplateChange, typeOf } from './rollout-type.ts'

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
const earlier = (more: Partial<Ledger> = {}): Ledger => ({
  ...{ id: 'r', type: 'ROLLOUT', phase: 'Aborted', from: 'a', to: 'b', templateHash: 'b', startedAt: '', hooks: [] },
  ...more,
})
/** The type of a rollout to a template that has a revision, or none yet. */
const typeTo = (target: Revision | undefined, from: Revision | undefined, more: Partial<TemplateChange> = {}) =>
  typeOf({
    template: target ?? { templateHash: 'new' },
    ...{ target, from, before: undefined, history: [] },
    ...more,
  })
const history = (...rollouts: readonly (readonly [from: string, to: string])[]) =>
  rollouts.map(([from, to]) => ({ from, to }))

describe('the type of a rollout', () => {
  it('is CREATE when there is nothing to come from, and ROLLOUT to what is not made yet', () => {
    expect(typeTo(revision('b'), undefined)).toBe('CREATE')
    expect(typeTo(undefined, revision('a'))).toBe('ROLLOUT')
  })

  it('is told by the first numbers of ReplicaSets that were made in the same second and used again', () => {
    const [old, young] = [revision('a', { number: 5, firstNumber: 1 }), revision('b', { number: 4, firstNumber: 2 })]
    expect(typeTo(old, young)).toBe('ROLLBACK')
    expect(typeTo(young, old)).toBe('ROLLOUT')
  })

  it('is told by what the policy has seen where ControllerRevisions were made in the same second', () => {
    const [old, young] = [revision('a', { number: 3 }), revision('b', { number: 2 })]
    const seen = history(['b', 'a'], ['a', 'b'])
    expect(typeTo(old, young, { history: seen })).toBe('ROLLBACK')
    expect(typeTo(young, old, { history: seen })).toBe('ROLLOUT')
  })

  it('is told by their age otherwise', () => {
    const [old, young] = [revision('a', { number: 9, createdAt: 1000 }), revision('b', { number: 2, createdAt: 2000 })]
    expect(typeTo(old, young)).toBe('ROLLBACK')
    expect(typeTo(young, old)).toBe('ROLLOUT')
  })

  it('[rollouts W28] is UNDO back to where a rollout came from that is under way or aborted', () => {
    const [a, b, c] = [revision('a'), revision('b'), revision('c')]
    expect(typeTo(a, b, { before: earlier() })).toBe('UNDO')
    expect(typeTo(a, b, { before: earlier({ phase: 'Progressing' }) })).toBe('UNDO')
    expect(typeTo(c, b, { before: earlier() })).not.toBe('UNDO')
  })

  it('[rollouts W28] is not UNDO back from a complete rollout, whose hooks have passed', () => {
    const complete = earlier({ phase: 'Complete', endedAt: 'then' })
    expect(typeTo(revision('a'), revision('b', { createdAt: 2000 }), { before: complete })).toBe('ROLLBACK')
  })

  it('[rollouts W28] is not UNDO to the revision that an undo came from: its hooks have not passed', () => {
    const undo = earlier({ type: 'UNDO', phase: 'Progressing', from: 'b', to: 'a' })
    expect(typeTo(revision('b', { createdAt: 2000 }), revision('a'), { before: undo })).toBe('ROLLOUT')
  })

  it('[rollouts W29] is RESTART when only the time of the restart differs', () => {
    const restarted = { templateHash: 'a2', hashWithoutRestart: 'a' }
    expect(typeTo(undefined, revision('a'), { template: restarted })).toBe('RESTART')
    const again = { templateHash: 'a3', hashWithoutRestart: 'a' }
    expect(typeTo(undefined, revision('a2', restarted), { template: again })).toBe('RESTART')
    expect(typeTo(undefined, revision('a'), { template: { templateHash: 'b2', hashWithoutRestart: 'b' } })).toBe(
      'ROLLOUT',
    )
  })
})
