import { expect, it } from 'vitest'
import { detailWith, ledger, now, policyWith } from '../../../test/cli/policy.ts'
import type { EndedRollout } from '../../rollouts/policy/types.ts'
import { list } from '../terminal/listing.ts'
import { historyListing } from './history.ts'

const pipe = { isTerminal: false, columns: 80 }
const hooks: EndedRollout['hooks'] = [
  { name: 'pre', point: '0', state: 'Succeeded', attempts: 1 },
  { name: 'smoke', point: '50%', state: 'Cancelled', attempts: 2 },
  { name: 'again', point: '50%', state: 'Pending', attempts: 1 },
  { name: 'later', point: '100%', state: 'Pending', attempts: 0 },
]
const endedAt = '2026-01-01T00:00:30.000Z'
const ended: EndedRollout = { ...ledger, phase: 'Complete', endedAt, message: 'done', hooks }
const { revisions } = detailWith(policyWith('Ready', 'AtRest'))
const rowOf = (rollout: EndedRollout, format: 'text' | 'wide', known = revisions) =>
  list([rollout], format, historyListing({ now, revisions: known }), pipe)
    .split('\n')[1]
    ?.split(/ {3,}/)

it('lists what has ended with images and ages', () => {
  const hooksText = '1/4 passed smoke=Cancelled again=Failed'
  expect(rowOf(ended, 'text')).toEqual(['1a2b3c4d', 'Complete', 'web:1 → web:2', '30s ago', '30 s', hooksText])
  expect(rowOf({ ...ended, type: 'ROLLBACK' }, 'text')?.[1]).toBe('Complete ROLLBACK')
  expect(rowOf(ended, 'wide')).toEqual([
    ...['1a2b3c4d', 'ROLLOUT', 'Complete', 'web:1 → web:2', 'web-1', 'web-2', '30s ago', '30 s'],
    ...['2026-01-01T00:00:00.000Z', 'done', 'pre=Succeeded,smoke=Cancelled,again=Failed,later=NotRun', hooksText],
  ])
})

it('names the revision where its images are not known any more', () => {
  expect(rowOf(ended, 'text', [])?.[2]).toBe('web-2')
  expect(list([], 'text', historyListing({ now, revisions }), pipe)).toBe('no rollout has ended yet\n')
})
