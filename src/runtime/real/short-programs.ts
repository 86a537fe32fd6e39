/**
 * Runs many short programs through a few shells. `fork` copies the memory map of the parent, and that of this process is large: a shell
 * starts a program in a third of the time and off this thread. Any failure gives undefined for the program.
 */
import { availableParallelism } from 'node:os'
import { type ProgramOutput, type ShortProgram, shortProgramsTimeoutMs } from '../processes.ts'
import { runLane } from './lane.ts'
import { isPreservedByShell, isStartedByKernel, type PipePair } from './shell-lane.ts'
import { pipesPerLargeBatch, type StandardStreams } from './stdio.ts'

type Environment = Readonly<Record<string, string>>

/** One more shell is started for every so many programs. */
const programsPerLane = 4
const maxLanes = 8
/** How many programs the shells can run before this thread has to read their output. */
const runAhead = pipesPerLargeBatch / 2

export interface ShortProgramsOptions {
  readonly signal?: AbortSignal | undefined
  /** Time limit for all programs. @default shortProgramsTimeoutMs */
  readonly timeoutMs?: number
}

export function runShort(
  streams: StandardStreams,
  programs: readonly ShortProgram[],
  env: Environment,
  { signal, timeoutMs = shortProgramsTimeoutMs }: ShortProgramsOptions = {},
): readonly Promise<ProgramOutput | undefined>[] {
  const settle: ((printed: ProgramOutput | undefined) => void)[] = []
  const answers = programs.map(
    (_, index) => new Promise<ProgramOutput | undefined>((resolve) => (settle[index] = resolve)),
  )
  const cancelled = new AbortController()
  const cancel = () => cancelled.abort()
  // Results that have already arrived are read first: this thread may have been busy for the whole time.
  const limit = setTimeout(() => setImmediate(cancel), timeoutMs)
  signal?.addEventListener('abort', cancel, { once: true })
  const work = async () => {
    if (signal?.aborted || !isPreservedByShell(env)) return
    const waiting = [...programs.keys()].filter((index) => canBeRun(programs[index]))
    // One processor is left for this thread.
    const processors = Math.max(availableParallelism() - 1, 1)
    const count = Math.min(processors, maxLanes, Math.ceil(waiting.length / programsPerLane))
    const lanes = Array.from({ length: count }, async (_, lane) => {
      const own = waiting.filter((_index, place) => place % count === lane)
      const pairs = pairsOf(streams.take(2 * Math.min(own.length, Math.floor(runAhead / count))))
      if (pairs.length === 0) return
      const usable = await runLane({
        programs: own.flatMap((index) => programs[index] ?? []),
        pairs,
        env,
        cancelled: cancelled.signal,
        onResult: (place, printed) => settle[own[place] ?? -1]?.(printed),
      })
      streams.giveBack(...usable)
      for (const index of own) settle[index]?.(undefined)
    })
    await Promise.all(lanes)
  }
  work()
    .catch(cancel)
    .finally(() => {
      clearTimeout(limit)
      signal?.removeEventListener('abort', cancel)
      for (const give of settle) give(undefined)
    })
  return answers
}

function canBeRun(program: ShortProgram | undefined): boolean {
  return program?.command.startsWith('/') === true && program.cwd.startsWith('/') && isStartedByKernel(program.command)
}

/** Empty where pipes cannot be created. */
function pairsOf(paths: readonly string[]): readonly PipePair[] {
  const pairs: PipePair[] = []
  for (let index = 0; index + 1 < paths.length; index += 2) pairs.push([paths[index] ?? '', paths[index + 1] ?? ''])
  return pairs
}
