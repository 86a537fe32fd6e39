import { describe, expect, it } from 'vitest'
import { watchBackoff } from './backoff.ts'
import type { Failure } from './failure.ts'
import { initial, type Outcome, type State, step } from './state.ts'

const chance = 0.5
const next = (state: State, outcome: Outcome) => step(state, outcome, watchBackoff, chance)
const failed = (failure: Failure, reached: { version?: string; progressed?: boolean } = {}): Outcome => ({
  kind: 'failed',
  failure,
  ...reached,
})

const broken: Failure = { kind: 'broken', message: 'reset' }
const refused = (retryAfter?: number): Failure => ({ kind: 'refused', code: 429, retryAfter, message: '' })
const watching: State = { kind: 'watching', version: '7', failures: 0 }
const paging: State = { kind: 'paging', failures: 0, rewound: false, whole: false, token: 'second' }

describe('step without failures', () => {
  it('collects pages, swaps the cache, watches', () => {
    const first = next(initial, { kind: 'done' })
    expect(first).toEqual({ kind: 'paging', failures: 0, rewound: false, whole: false, token: undefined })
    const second = next(first, { kind: 'page', token: 'second', version: '7' })
    expect(second).toEqual(paging)
    const listed = next(second, { kind: 'page', token: undefined, version: '7' })
    expect(listed).toEqual({ kind: 'listed', failures: 0, version: '7', rewound: false })
    expect(next(listed, { kind: 'done' })).toEqual(watching)
  })

  it('resumes at once from the last version when a watch with events ends', () => {
    expect(next(watching, { kind: 'ended', version: '9', progressed: true })).toEqual({ ...watching, version: '9' })
  })

  it('resumes with growing back-off when watches end without events', () => {
    const once = next(watching, { kind: 'ended', version: '7', progressed: false })
    expect(once).toEqual({ kind: 'waiting', delay: 400, resume: { ...watching, failures: 1 } })
    const again = next({ ...watching, failures: 5 }, { kind: 'ended', version: '7', progressed: false })
    expect(again).toMatchObject({ kind: 'waiting', delay: 12_800 })
  })
})

describe('step after failures', () => {
  it('lists again when the version has expired, with growing back-off', () => {
    expect(next(watching, failed({ kind: 'expired' }))).toEqual({
      kind: 'waiting',
      delay: 400,
      resume: { ...initial, failures: 1 },
    })
    expect(next({ ...watching, failures: 1 }, failed({ kind: 'expired' }))).toMatchObject({ delay: 800 })
  })

  it('backs off when every watch after a successful list is rejected with 410', () => {
    const relist = next({ ...watching, failures: 2 }, failed({ kind: 'expired' }))
    const listed: State = { kind: 'listed', failures: 3, version: '8', rewound: false }
    expect(relist).toMatchObject({ kind: 'waiting', resume: { kind: 'empty', failures: 3 } })
    expect(next({ ...paging, failures: 3 }, { kind: 'page', token: undefined, version: '8' })).toEqual(listed)
    expect(next(listed, { kind: 'done' })).toEqual({ kind: 'watching', version: '8', failures: 3 })
  })

  it('lists in one page after a continue token has expired', () => {
    expect(next(paging, failed({ kind: 'expired' }))).toEqual({
      kind: 'waiting',
      delay: 400,
      resume: { kind: 'empty', failures: 1, rewound: false, whole: true },
    })
  })

  it('requests the same page again when a page fails', () => {
    const resume = { ...paging, failures: 1 }
    expect(next(paging, failed(broken))).toEqual({ kind: 'waiting', delay: 400, resume })
    expect(next(paging, failed(refused(3_000)))).toEqual({ kind: 'waiting', delay: 3_400, resume })
  })

  it('waits at least for the Retry-After of the server', () => {
    expect(next(watching, failed(refused(5_000)))).toEqual({
      kind: 'waiting',
      delay: 5_400,
      resume: { ...watching, failures: 1 },
    })
  })

  it('verifies the version after a lost connection, resumes at the last version, and resets the failures after progress', () => {
    const state: State = { ...watching, failures: 6 }
    const doubting: State = { kind: 'verifying', version: '9', failures: 1 }
    expect(next(state, failed(broken, { version: '9', progressed: true }))).toEqual({
      kind: 'waiting',
      delay: 400,
      resume: doubting,
    })
    expect(next(doubting, { kind: 'done' })).toEqual({ kind: 'watching', version: '9', failures: 1 })
  })

  it('verifies the version at once after an idle timeout, without counting a failure', () => {
    expect(next(watching, failed({ kind: 'silent' }, { version: '8' }))).toEqual({
      kind: 'verifying',
      version: '8',
      failures: 0,
    })
  })

  it('remembers through the whole list that the storage was replaced', () => {
    const relist = next({ kind: 'verifying', version: '9', failures: 0 }, failed({ kind: 'rewound' }))
    expect(relist).toMatchObject({ resume: { kind: 'empty', failures: 1, rewound: true, whole: false } })
    const stuck = next({ ...paging, rewound: true }, failed(broken))
    expect(stuck).toMatchObject({ resume: { kind: 'paging', rewound: true } })
    const page = next({ ...paging, rewound: true }, { kind: 'page', token: undefined, version: '2' })
    expect(page).toEqual({ kind: 'listed', failures: 0, version: '2', rewound: true })
  })

  it('caps the back-off at thirty seconds', () => {
    expect(next({ ...watching, failures: 500 }, failed(broken))).toMatchObject({ delay: 15_000 })
  })
})
