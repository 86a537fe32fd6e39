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
  ])('%s and %s leave %s with the last state', (before, after, left) => {
    expect(supersede(event(before, '1'), event(after, '2'))).toEqual(event(left, '2'))
  })

  it('keeps the end of an object apart from the beginning of the next', () => {
    expect(supersede(event('Deleted', '1'), event('Added', '2'))).toBeUndefined()
  })
})
