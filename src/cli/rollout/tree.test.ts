import { expect, it } from 'vitest'
import { detailWith, ledger, now, policyWith, troubledPod } from '../../../test/cli/policy.ts'
import { treeText } from './tree.ts'

const progressing = policyWith('Reconciling', 'Progressing', ledger)
const hookPod = { ...troubledPod, name: 'web-smoke-2-x', hook: 'smoke' }
const detail = detailWith(progressing, { hookPods: [hookPod] })
const pipe = { isTerminal: false, columns: 80 }

it('shows revisions, their pods, and the hooks with theirs', () => {
  expect(treeText(detail, now, pipe)).toBe(
    [
      'NAME                     KIND         STATE              AGE   INFO',
      'web                      Policy       Progressing        61m   Deployment web, 4 wanted',
      '├─ web-2                 ReplicaSet   new                60s   web:2, 1/1 ready, revision 2',
      '│  ├─ web-2-a            Pod          Running            30s   ready 1/1',
      '│  └─ smoke              Hook         Running            12s   at 50%, attempt 2, 12 s, Failed: exit code 1',
      '│     └─ web-smoke-2-x   Pod          ImagePullBackOff   30s   ready 0/1, Back-off pulling image "web:2"',
      '└─ web-1                 ReplicaSet   old                60s   web:1, 2/2 ready, revision 1',
      '   ├─ web-1-a            Pod          Running            30s   ready 1/1',
      '   └─ web-1-b            Pod          Running            30s   ready 1/1',
      '',
    ].join('\n'),
  )
})

it('keeps the lines of the tree where names are shortened', () => {
  const long = detailWith(progressing, { pods: [{ ...troubledPod, name: `web-2-${'b'.repeat(60)}` }] })
  const lines = treeText(long, now, { ...pipe, limit: 60 })
    .trimEnd()
    .split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
  expect(lines).toContainEqual(expect.stringMatching(/^│ {2}├─ we\S*…b+ +Pod/))
})

it('is ASCII where the reader has no more', () => {
  expect(treeText(detail, now, { ...pipe, isAscii: true })).toMatch(/^[\n\x20-\x7e]*$/)
})

it('calls the revision of a rollout current once the rollout is complete, not when it was aborted', () => {
  const end = '2026-01-01T00:00:50.000Z'
  const wordOf = (phase: 'Complete' | 'Aborted') =>
    /web-2 +ReplicaSet +(\w+)/.exec(
      treeText(detailWith(policyWith('Ready', phase, { ...ledger, phase, endedAt: end })), now, pipe),
    )?.[1]
  expect([wordOf('Complete'), wordOf('Aborted')]).toEqual(['current', 'new'])
})

it('shows hooks under the policy where no revision can be read', () => {
  expect(treeText(detailWith(progressing, { revisions: [], pods: [] }), now, pipe)).toMatch(/\n└─ smoke +Hook/)
})
