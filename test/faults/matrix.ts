/** Disturbs processes before and after their writes, one run per write, and compares every end with that of an undisturbed run. */
import { deepEqual, notEqual } from 'node:assert/strict'
import type { Crash, Fault } from '../../src/cli/rollout/simulation/engines.ts'

export interface Disturbed {
  readonly ending: object
  readonly writes: number
  readonly crashes: number
}

export interface Matrix<O extends Disturbed> {
  readonly play: (crash: Crash) => Promise<O>
  /** Identifies the situation of the fault; runs with an equal situation are equal and not repeated. @default all differ */
  readonly encounter?: (crash: Crash) => string | undefined
  readonly plain: O
  readonly how: Fault
  /** Disturbs every `stride`-th write. */
  readonly stride: number
  /** The last write to disturb. @default the last write */
  readonly last?: number
  /** Additional checks of the end. */
  readonly expectSound?: (outcome: O, what: string) => void
}

/** Returns the number of runs. */
export async function disturbWrites<O extends Disturbed>(matrix: Matrix<O>): Promise<number> {
  const { play, encounter, plain, how, stride, last = plain.writes, expectSound } = matrix
  const met = new Set<string>()
  notEqual(last, 0, `${how}: there is no write to disturb`)
  let runs = 0
  for (let write = 1; write <= last; write += stride) {
    for (const when of ['before', 'after'] as const) {
      const crash = { when, write, how }
      const meets = encounter?.(crash)
      if (meets !== undefined && met.has(meets)) continue
      if (meets !== undefined) met.add(meets)
      const disturbed = await play(crash)
      runs++
      const what = `${how} ${when} write ${write}`
      deepEqual({ what, crashes: disturbed.crashes, ...disturbed.ending }, { what, crashes: 1, ...plain.ending })
      expectSound?.(disturbed, what)
    }
  }
  return runs
}
