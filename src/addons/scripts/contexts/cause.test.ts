import { describe, expect, it } from 'vitest'
import type { KubernetesBinding, WatchEvent } from '../config/types.ts'
import { type Cause, supersede } from './cause.ts'

const binding = { name: 'pods' } as KubernetesBinding
const event = (watchEvent: WatchEvent, result: string): Cause => ({
  kind: 'event',
  binding,
  event: { watchEvent, kind: 'Pod', seen: { key: 'a', result, whole: undefined } },
})

describe('supersede', () => {
  it.each<[WatchEvent, WatchEvent, WatchEvent]>([
    ['Added', 'Modified', 'Added'],
    ['Modified', 'Modified', 'Modified'],
    ['Added', 'Deleted', 'Deleted'],
    ['Modified', 'Deleted', 'Deleted'],
    ['Deleted', 'Deleted', 'Deleted'],
  ])('merges %s and %s into %s with the last state', (before, after, left) => {
    expect(supersede(event(before, '1'), event(after, '2'))).toEqual(event(left, '2'))
  })

  it('does not merge the deletion of an object with the creation of the next one', () => {
    expect(supersede(event('Deleted', '1'), event('Added', '2'))).toBeUndefined()
  })
})
