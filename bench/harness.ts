/**
 * The bench harness: candidates take turns within every round, so that a busy machine slows all of them alike, and the result is
 * the ratio of the medians. Figures without a rival are reported beside their goal.
 */
import { cpuUsage } from 'node:process'

export interface Bench {
  readonly name: string
  run(context: BenchContext): Promise<void>
}

type Work = () => void | Promise<void>

export interface Comparison {
  readonly name: string
  /** @default 7 */
  readonly rounds?: number
  /** How often each candidate's work runs within a round; the figure is per single run. @default 1 */
  readonly repeat?: number
  /** The first candidate is ours; every other one is compared with it. */
  readonly candidates: Readonly<Record<string, Work>>
  /** How many times faster than each rival ours must be, for example `{ 'jq-wasm': 500 }`. */
  readonly atLeast?: Readonly<Record<string, number>>
}

export interface Goal {
  readonly atMost?: number
  readonly atLeast?: number
}

export interface Figure {
  readonly bench: string
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly goal?: Goal
  readonly holds?: boolean
}

/** Another operator that does the same work. */
export interface Peer {
  readonly name: string
  /** Path of its program. */
  readonly program: string
}

export class BenchContext {
  readonly figures: Figure[] = []
  readonly peers: readonly Peer[]
  readonly #bench: string
  #isWhole = true

  constructor(bench: string, peers: readonly Peer[] = []) {
    this.#bench = bench
    this.peers = peers
  }

  /** Runs the candidates in turns and reports the median CPU time of each and the ratios to ours. */
  async measure(comparison: Comparison): Promise<void> {
    const { name, rounds = 7, repeat = 1, candidates, atLeast = {} } = comparison
    const samples = new Map<string, number[]>(Object.keys(candidates).map((candidate) => [candidate, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [candidate, work] of Object.entries(candidates)) {
        samples.get(candidate)?.push((await cpuMicroseconds(work, repeat)) / repeat)
      }
    }
    const medians = [...samples].map(([candidate, values]) => ({ candidate, median: medianOf(values) }))
    const ours = medians[0]
    for (const { candidate, median } of medians) {
      this.report(`${name}: ${candidate}`, median, 'µs CPU')
      if (ours === undefined || candidate === ours.candidate) continue
      const goal = atLeast[candidate]
      this.report(
        `${name}: ${ours.candidate} vs ${candidate}`,
        median / ours.median,
        '×',
        goal ? { atLeast: goal } : {},
      )
    }
  }

  report(name: string, value: number, unit: string, goal: Goal = {}): void {
    const holds =
      value <= (goal.atMost ?? Number.POSITIVE_INFINITY) && value >= (goal.atLeast ?? Number.NEGATIVE_INFINITY)
    const hasGoal = goal.atMost !== undefined || goal.atLeast !== undefined
    this.figures.push({ bench: this.#bench, name, value, unit, ...(hasGoal ? { goal, holds } : {}) })
  }

  /** Whether all parts of the bench ran. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Marks the results as incomplete; `line` says which figures are missing and why. */
  leaveOut(line: string): void {
    this.#isWhole = false
    this.say(`left out: ${line}`)
  }

  /** Prints a line that is no figure. */
  say(line: string): void {
    console.error(`${this.#bench}: ${line}`)
  }
}

async function cpuMicroseconds(work: Work, repeat: number): Promise<number> {
  const before = cpuUsage()
  for (let i = 0; i < repeat; i++) await work()
  const used = cpuUsage(before)
  return used.user + used.system
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
