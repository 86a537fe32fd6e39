/**
 * Ends a run that does not settle: it waits for something that no event brings, or events follow each other without end. The number of events and
 * not real time counts, so that a run fails on every machine or on none.
 */
import { CarabinerError } from '../errors.ts'
import type { Trace } from './trace.ts'

/** The part of the scheduler that a message is made from. */
interface Progress {
  readonly elapsed: number
  readonly turns: number
  readonly trace: Trace
  timers(): readonly string[]
}

export interface BudgetLimits {
  /** Virtual milliseconds. */
  readonly limit: number
  readonly maxEvents: number
}

export interface Surroundings {
  /** What is pending besides timers. */
  waits(): readonly string[]
  /** The last warnings and errors of the log. */
  problems(): readonly string[]
}

const maxLines = 10

/** How much of the trace shows what a run is busy with. */
const recentLines = 1000
/** An event that is more than this part of it is repeated without end. */
const minShare = 0.05

export class Budget {
  readonly #progress: Progress
  readonly #limits: BudgetLimits
  readonly #surroundings: Surroundings
  readonly #since: { readonly elapsed: number; readonly turns: number }

  constructor(progress: Progress, limits: BudgetLimits, surroundings: Surroundings) {
    this.#progress = progress
    this.#limits = limits
    this.#surroundings = surroundings
    this.#since = { elapsed: progress.elapsed, turns: progress.turns }
  }

  /** `due`: when the next event fires; undefined when there is none. */
  check(due: number | undefined): void {
    const { limit, maxEvents } = this.#limits
    const { elapsed, turns } = this.#since
    const events = this.#progress.turns - turns
    if (due === undefined)
      throw this.#stuck('no event is scheduled', 'a promise that no part of the simulation settles')
    if (due > elapsed + limit) throw this.#stuck(`not finished after ${limit / 1000} virtual seconds`)
    if (events < maxEvents) return
    const passed = `${(this.#progress.elapsed - elapsed) / 1000} virtual seconds`
    throw this.#stuck(`not finished after ${events} events, in ${passed}; a run that needs more sets maxEvents`)
  }

  #stuck(why: string, otherwise = 'no operation and no timer'): CarabinerError {
    const pending = [...this.#surroundings.waits(), ...this.#progress.timers()]
    const shown = pending.length === 0 ? [otherwise] : pending.slice(0, maxLines)
    const more = pending.length > maxLines ? [`and ${pending.length - maxLines} more`] : []
    const listed = (lines: readonly string[]): string => lines.map((line) => `\n  ${line}`).join('')
    const section = (title: string, lines: readonly string[]): string =>
      lines.length === 0 ? '' : `\n${title}:${listed(lines)}`
    const busy = section('again and again', repeated(this.#progress.trace.lines.slice(-recentLines)))
    const logged = section('last warnings', this.#surroundings.problems())
    const text = `the simulation cannot finish: ${why}; pending:${listed([...shown, ...more])}${busy}${logged}`
    return new CarabinerError('CRB_SIMULATION_STUCK', text)
  }
}

/** The most frequent of these events, without their times; none of a short run. */
function repeated(lines: readonly string[]): readonly string[] {
  if (lines.length < recentLines) return []
  const counts = new Map<string, number>()
  for (const line of lines) {
    const event = line.slice(line.indexOf(' ') + 1).replace(' ', ': ')
    counts.set(event, (counts.get(event) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > lines.length * minShare)
    .toSorted(([, one], [, other]) => other - one)
    .map(([event]) => event)
}
