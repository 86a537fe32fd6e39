/**
 * Runs many short programs by a few shells. To start a process the system copies the memory map of whoever starts it, and ours is large: a
 * shell does it in a third of the time, and not on our thread. Whatever does not go quite as it should is given up here: it is no answer.
 */
import { availableParallelism } from 'node:os'
import { type Printed, type ShortProgram, shortTime } from '../processes.ts'
import { runLane } from './lane.ts'
import { type PipePair, passesThroughShell, startsBySystem } from './shell-lane.ts'
import { largeStock, type StandardStreams } from './stdio.ts'

type Environment = Readonly<Record<string, string>>

/** Programs from which on one more shell is worth its start. */
const worthALane = 4
const mostLanes = 8
/** Programs that shells run by themselves while this thread is busy. */
const runAhead = largeStock / 2

export function runShort(
  streams: StandardStreams,
  programs: readonly ShortProgram[],
  env: Environment,
  signal?: AbortSignal,
  time = shortTime,
): readonly Promise<Printed | undefined>[] {
  const settle: ((printed: Printed | undefined) => void)[] = []
  const answers = programs.map((_, index) => new Promise<Printed | undefined>((resolve) => (settle[index] = resolve)))
  const over = new AbortController()
  const breakOff = () => over.abort()
  // What has long been told is read first: this thread may have been busy for all of the time.
  const limit = setTimeout(() => setImmediate(breakOff), time)
  signal?.addEventListener('abort', breakOff, { once: true })
  const work = async () => {
    if (signal?.aborted || !passesThroughShell(env)) return
    const waiting = [...programs.keys()].filter((index) => canBeRun(programs[index]))
    // This thread is busy at the same time, and needs a processor of its own.
    const processors = Math.max(availableParallelism() - 1, 1)
    const count = Math.min(processors, mostLanes, Math.ceil(waiting.length / worthALane))
    const lanes = Array.from({ length: count }, async (_, lane) => {
      const own = waiting.filter((_index, place) => place % count === lane)
      const pairs = pairsOf(streams.take(2 * Math.min(own.length, Math.floor(runAhead / count))))
      if (pairs.length === 0) return
      const usable = await runLane({
        programs: own.flatMap((index) => programs[index] ?? []),
        pairs,
        env,
        over: over.signal,
        told: (place, printed) => settle[own[place] ?? -1]?.(printed),
      })
      streams.giveBack(...usable)
      for (const index of own) settle[index]?.(undefined)
    })
    await Promise.all(lanes)
  }
  work()
    .catch(breakOff)
    .finally(() => {
      clearTimeout(limit)
      signal?.removeEventListener('abort', breakOff)
      for (const give of settle) give(undefined)
    })
  return answers
}

function canBeRun(program: ShortProgram | undefined): boolean {
  return program?.command.startsWith('/') === true && program.cwd.startsWith('/') && startsBySystem(program.command)
}

/** None at all where pipes cannot be made. */
function pairsOf(paths: readonly string[]): readonly PipePair[] {
  const pairs: PipePair[] = []
  for (let index = 0; index + 1 < paths.length; index += 2) pairs.push([paths[index] ?? '', paths[index + 1] ?? ''])
  return pairs
}
