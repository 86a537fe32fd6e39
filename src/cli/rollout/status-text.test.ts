import { describe, expect, it } from 'vitest'
import { detailWith, ledger, now, policyWith, troubledPod } from '../../../test/cli/policy.ts'
import type { Ledger } from '../../rollouts/policy/types.ts'
import { statusText } from './status-text.ts'

const text = (
  detail: Parameters<typeof statusText>[0],
  limit = Number.POSITIVE_INFINITY,
  more: { readonly isAscii?: boolean } = {},
) =>
  statusText(detail, now, { programName: 'npx carabiner', stdout: { isTerminal: false, columns: 80, limit, ...more } })
const ended = { ...ledger, endedAt: '2026-01-01T00:00:50.000Z' }
const progressing = policyWith('Reconciling', 'Progressing', ledger)

describe('status of a policy', () => {
  it('shows images, ages, pods and hooks', () => {
    expect(text(detailWith(progressing))).toBe(
      [
        'policy     shop/web',
        'target     Deployment web',
        'state      Progressing at 50%, waits for smoke',
        'images     web:1 → web:2',
        'revisions  web-1 → web-2',
        'rollout    ROLLOUT 1a2b3c4d, started 60s ago',
        'pods       1 new (1 ready), 2 old (2 ready), 4 wanted',
        'message    why',
        '',
        'HOOK    POINT   STATE     ATTEMPTS   TOOK   MESSAGE',
        'smoke   50%     Running   2          12 s   Failed: exit code 1',
        '',
      ].join('\n'),
    )
  })

  it('shows what the hook said that failed, without its control characters', () => {
    const failedLog = { hook: 'migrate', lines: ['error: DATABASE_URL is \u001B[2Jnot set'] }
    const aborted: Ledger = { ...ended, phase: 'Aborted' }
    const said = text({ ...detailWith(policyWith('Stalled', 'Aborted', aborted)), ...{ failedLog } })
    expect(said).toMatch(/\nThe log of migrate ends with:\n {2}error: DATABASE_URL is \S+not set\n/)
    expect(said).not.toContain('\u001B')
  })

  it('does not take the last rollout for the one that has not begun', () => {
    const over: Ledger = { ...ended, phase: 'Complete' }
    const unseen = text(detailWith(policyWith('Ready', 'Complete', over)))
    expect(unseen).toContain('\nrollout    ROLLOUT 1a2b3c4d, Complete 10s ago after 50 s\n')
    expect(unseen).toContain('\nmessage    waits for the operator, which has not seen the change yet\n')
    expect(unseen).toMatch(/\nWhat to do:\n {2}npx carabiner doctor {3}# see whether an operator is at work\n$/)
    const stalled = text(detailWith(policyWith('Stalled', 'TargetTaken', over), { outcome: 'failed' }))
    expect(stalled).toContain('\nstate      TargetTaken\n')
    expect(stalled).not.toContain('What to do')
  })

  it('says what an undo is for, and shows the state of the policy although the waiting command fails', () => {
    const back: Ledger = { ...ended, phase: 'Complete', undoOf: '4d3c2b1a' }
    const said = text(detailWith(policyWith('Ready', 'Complete', back), { outcome: 'failed' }))
    expect(said).toContain('\nstate      Complete\n')
    expect(said).toContain('\ninstead    of 4d3c2b1a\n')
  })

  it('says when a hook that failed is tried again, as long as that is still to come', () => {
    const retryAt = '2026-01-01T00:02:00.000Z'
    const hooks: Ledger['hooks'] = [
      { name: 'smoke', point: '50%', state: 'Pending', attempts: 1, message: 'Failed: exit code 1', retryAt },
    ]
    expect(text(detailWith(policyWith('Reconciling', 'Progressing', { ...ledger, hooks })))).toMatch(
      /\nsmoke +50% +Pending +1 +tried again in 1 min 0 s: Failed: exit code 1\n/,
    )
    const over: Ledger = { ...ended, phase: 'Aborted', hooks }
    expect(text(detailWith(policyWith('Stalled', 'Aborted', over)))).toMatch(
      /\nsmoke +50% +Failed +1 +Failed: exit code 1\n/,
    )
  })

  it('shows pods that need a look with their reason', () => {
    const said = text(detailWith(progressing, { pods: [troubledPod] }))
    expect(said).toMatch(
      /\nPOD +STATE +READY +RESTARTS +AGE +MESSAGE\nweb-2-b +ImagePullBackOff +0\/1 +0 +30s +Back-off pulling image "web:2"\n/,
    )
    expect(said).toContain('  kubectl describe pod -n shop web-2-b')
  })

  it.each([60, 80])('fits %d columns without losing a word of a message', (limit) => {
    const message = 'BackoffLimitExceeded: Job has reached the specified backoff limit, and nothing else can be said'
    const hooks = ledger.hooks.map((hook) => ({ ...hook, message }))
    const policy = policyWith('Reconciling', 'Progressing', { ...ledger, hooks })
    const lines = text(detailWith(policy, { pods: [{ ...troubledPod, name: `web-2-${'b'.repeat(60)}` }] }), limit)
    const facts = lines.slice(0, lines.indexOf('\nWhat to do')).split('\n')
    expect(Math.max(...facts.map((line) => line.length))).toBeLessThanOrEqual(limit)
    expect(facts.join(' ').replace(/\s+/g, ' ')).toContain(message)
  })

  it('is ASCII where the reader has no more, and safe everywhere', () => {
    const policy = policyWith('Reconciling', 'Progressing', {
      ...ledger,
      waitingFor: '\u001b[31msmoke',
      to: 'a\u009bb',
    })
    const said = text(detailWith(policy, { images: 'web:1 → web:\u001b]0;x\u0007' }), 80, { isAscii: true })
    expect(said).toMatch(/^[\n\x20-\x7e]*$/)
    expect(said).toContain('images     web:1 -> web:\\u001b]0;x\\u0007\n')
  })
})
