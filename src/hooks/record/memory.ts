/**
 * The latest runs of every surface, in the memory of the operator: what runs now, and what ended last. Bounded for each surface, so that a
 * script hook that runs a thousand times a minute does not displace the runs of a rollout.
 */
import type { Instant } from '../../runtime/index.ts'
import type { Run } from '../run/index.ts'
import type { JournalEntry, RunOutcome } from './entry.ts'

/** A run as it is listed, from the operator's memory or from the journal. */
export interface RunRecord extends Omit<JournalEntry, 'key' | 'outcome' | 'endedAt'> {
  readonly key: string
  readonly outcome: RunOutcome | 'running'
  readonly endedAt?: string
}

/** As it is recorded: most runs are never listed, so that they are brought into the form of a list only then. */
export interface RememberedRun {
  readonly key: string
  readonly run: Run
  readonly action: string
  readonly cause: string | undefined
  readonly revision: JournalEntry['revision'] | undefined
  readonly outcome: RunOutcome | 'running'
  readonly startedAt: Instant | undefined
  readonly endedAt: Instant | undefined
  readonly message: string | undefined
  readonly traceId: string | undefined
  readonly log: string | undefined
}

export interface MemoryLimits {
  /** Of each surface. @default 500 */
  readonly runs: number
  /** Characters of logs and messages, of each surface. @default 1 Mi */
  readonly characters: number
}

const defaultLimits: MemoryLimits = { runs: 500, characters: 1024 * 1024 }

class SurfaceRuns {
  /** By key, the oldest first. */
  readonly ended = new Map<string, RememberedRun>()
  readonly running = new Map<string, RememberedRun>()
  characters = 0
}

export class RunMemory {
  readonly #limits: MemoryLimits
  readonly #surfaces = new Map<string, SurfaceRuns>()

  constructor(limits: MemoryLimits = defaultLimits) {
    this.#limits = limits
  }

  started(run: RememberedRun): void {
    const { running } = this.#of(run.run.surface)
    running.set(run.key, run)
    this.#removeOldest(running)
  }

  running({ surface, key }: Pick<RunRecord, 'surface' | 'key'>): RememberedRun | undefined {
    return this.#surfaces.get(surface)?.running.get(key)
  }

  ended(run: RememberedRun): void {
    const runs = this.#of(run.run.surface)
    runs.running.delete(run.key)
    this.#remove(runs, run.key)
    runs.ended.set(run.key, run)
    runs.characters += sizeOf(run)
    while (runs.ended.size > this.#limits.runs || (runs.characters > this.#limits.characters && runs.ended.size > 1)) {
      const [oldest] = runs.ended.keys()
      if (oldest === undefined) return
      this.#remove(runs, oldest)
    }
  }

  /** Adds the log of a run that has ended, when it is still remembered. */
  addLog({ surface, key }: Pick<RunRecord, 'surface' | 'key'>, log: string): void {
    const run = this.#surfaces.get(surface)?.ended.get(key)
    if (run !== undefined) this.ended({ ...run, log })
  }

  /** Oldest first; runs under way last. */
  list(): readonly RunRecord[] {
    const all = [...this.#surfaces.values()]
    const ended = all.flatMap((runs) => [...runs.ended.values()])
    const running = all.flatMap((runs) => [...runs.running.values()])
    return [...ended, ...running].map(recordOf)
  }

  #of(surface: string): SurfaceRuns {
    const known = this.#surfaces.get(surface)
    if (known !== undefined) return known
    const runs = new SurfaceRuns()
    this.#surfaces.set(surface, runs)
    return runs
  }

  #remove(runs: SurfaceRuns, key: string): void {
    const run = runs.ended.get(key)
    if (run === undefined) return
    runs.ended.delete(key)
    runs.characters -= sizeOf(run)
  }

  #removeOldest(runs: Map<string, unknown>): void {
    const [oldest] = runs.keys()
    if (runs.size > this.#limits.runs && oldest !== undefined) runs.delete(oldest)
  }
}

function sizeOf({ log = '', message = '' }: RememberedRun): number {
  return log.length + message.length
}

export function recordOf(remembered: RememberedRun): RunRecord {
  const { key, run, action, cause, revision, outcome, startedAt, endedAt, message, traceId, log } = remembered
  const { kind, namespace, name } = run.subject
  return {
    key,
    ...run,
    subject: { kind, namespace, name },
    action,
    ...(cause === undefined ? {} : { cause }),
    ...(revision === undefined ? {} : { revision }),
    outcome,
    ...(startedAt === undefined ? {} : { startedAt: timeText(startedAt) }),
    ...(endedAt === undefined ? {} : { endedAt: timeText(endedAt) }),
    ...(message === undefined ? {} : { message }),
    ...(traceId === undefined ? {} : { traceId }),
    ...(log === undefined ? {} : { log }),
  }
}

function timeText(at: Instant): string {
  return new Date(at).toISOString()
}
