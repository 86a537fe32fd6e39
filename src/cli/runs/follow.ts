/** `carabiner runs -f`: a line for every run that starts or ends from now on. */
import { type RunRecord, shortKey } from '../../hooks/index.ts'
import type { CliContext } from '../context.ts'
import { paint } from '../terminal/paint.ts'
import { printableLine } from '../terminal/printable.ts'
import { collectRuns, type ListedRun, type Place } from './collect.ts'
import { took } from './listing.ts'
import type { MemoryOptions } from './memory.ts'

/** The journal is written at most every 30 s, and an operator's memory is cheap to read. */
const pollIntervalMs = 2_000

interface Followed {
  isWanted(run: RunRecord): boolean
  /** The runs that are printed already. */
  readonly shown: readonly ListedRun[]
}

/** Resolves when the command is interrupted. */
export async function followRuns(
  context: CliContext,
  place: Place,
  options: MemoryOptions,
  { isWanted, shown }: Followed,
): Promise<void> {
  const { runtime, signal, stdout } = context
  // The list before has warned of what cannot be read.
  const quiet = { ...context, stderr: { ...context.stderr, write: () => undefined } }
  const known = new Map(shown.map(({ key, outcome }) => [key, outcome]))
  for (;;) {
    await runtime.clock.sleep(pollIntervalMs, signal).catch(() => undefined)
    if (signal.aborted) return
    const runs = await collectRuns(quiet, place, options).catch((error: unknown) => {
      if (!signal.aborted) throw error
      return []
    })
    for (const run of runs) {
      if (known.get(run.key) === run.outcome || !isWanted(run)) continue
      known.set(run.key, run.outcome)
      stdout.write(lineOf(context, run))
    }
  }
}

const colours = { succeeded: 'green', failed: 'red', cancelled: 'yellow', running: 'cyan' } as const

function lineOf({ stdout }: CliContext, run: ListedRun): string {
  const colour = paint(stdout)
  const { outcome, startedAt = '', endedAt, subject, hook, point, key, message } = run
  const time = (endedAt ?? startedAt).slice(11, 19)
  const about = subject.namespace === '' ? subject.name : `${subject.namespace}/${subject.name}`
  const duration = took(run)
  const after = duration === '' ? '' : ` after ${duration}`
  const why = message === undefined ? '' : `: ${message}`
  const rest = printableLine(`${run.surface} ${about} ${hook} at ${point} ${shortKey(key)}${after}${why}`)
  return `${time} ${colour[colours[outcome]](outcome.padEnd(9))} ${rest}\n`
}
