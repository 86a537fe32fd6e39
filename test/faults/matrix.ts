/** Disturbs processes before and after their writes, one run each, and holds every end against that of a run without a disturbance. */
import { deepEqual, notEqual } from 'node:assert/strict'
import type { Crash, Fault } from '../../src/cli/rollout/simulation/engines.ts'

export interface Disturbed {
  readonly ending: object
  readonly writes: number
  readonly crashes: number
}

export interface Matrix<O extends Disturbed> {
  readonly play: (crashes: readonly Crash[]) => Promise<O>
  readonly plain: O
  readonly how: Fault
  /** Disturbs every so many writes. */
  readonly stride: number
  /** The last write to disturb. @default the last there is */
  readonly last?: number
  /** What must hold besides the end. */
  readonly expectSound?: (outcome: O, what: string) => void
}

/** The number of runs. */
export async function disturbWrites<O extends Disturbed>(matrix: Matrix<O>): Promise<number> {
  const { play, plain, how, stride, last = plain.writes, expectSound } = matrix
  notEqual(last, 0, `${how}: there is no write to disturb`)
  let runs = 0
  for (let write = 1; write <= last; write += stride) {
    for (const when of ['before', 'after'] as const) {
      const disturbed = await play([{ when, write, how }])
      runs++
      const what = `${how} ${when} write ${write}`
      deepEqual({ what, crashes: disturbed.crashes, ...disturbed.ending }, { what, crashes: 1, ...plain.ending })
      expectSound?.(disturbed, what)
    }
  }
  return runs
}
