/**
 * Runs many short programs by a few shells. To start a process the system copies the memory map of whoever starts it, and ours is large: a
 * shell does it in a third of the time, and not on our thread. Whatever does not go quite as it should is given up here: it is no answer.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { type Printed, type ShortProgram, shortTime } from '../processes.ts'
import { signalGroup } from './group.ts'
import { type LaneProgram, laneScript, passesThroughShell, shell, startsBySystem } from './shell-lane.ts'
import { ShortOutput } from './short-output.ts'
import type { StandardStreams } from './stdio.ts'

type Environment = Readonly<Record<string, string>>

/** Programs that pipes are kept open for at the same time. */
const largestBatch = 128
/** Programs from which on one more shell is worth its start. */
const worthALane = 4
const mostLanes = 8
/** Milliseconds between two looks at what a program prints that is not over yet: a pipe holds only so much. */
const lookEvery = 20
/** Milliseconds from the polite signal to the other one. */
const killGrace = 1000

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
  if (signal?.aborted || !passesThroughShell(env)) breakOff()
  const work = async () => {
    const waiting = programs.map((program, index) => ({ ...program, number: index })).filter(canBeRun)
    while (waiting.length > 0 && !over.signal.aborted)
      await runBatch(streams, waiting.splice(0, largestBatch), env, over.signal, (index, printed) =>
        settle[index]?.(printed),
      )
  }
  work()
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(limit)
      signal?.removeEventListener('abort', breakOff)
      for (const give of settle) give(undefined)
    })
  return answers
}

function canBeRun({ command, cwd }: ShortProgram): boolean {
  return command.startsWith('/') && cwd.startsWith('/') && startsBySystem(command)
}

type Told = (index: number, printed: Printed | undefined) => void

async function runBatch(
  streams: StandardStreams,
  batch: readonly (ShortProgram & { readonly number: number })[],
  env: Environment,
  over: AbortSignal,
  told: Told,
): Promise<void> {
  const paths = streams.takePaths(batch.length * 2)
  if (paths === undefined) return
  const count = Math.min(availableParallelism(), mostLanes, Math.ceil(batch.length / worthALane))
  const lanes = Array.from({ length: count }, (): LaneProgram[] => [])
  batch.forEach((program, index) => {
    const [stdout = '', stderr = ''] = paths.slice(index * 2, index * 2 + 2)
    lanes[index % count]?.push({ ...program, stdout, stderr })
  })
  await Promise.all(lanes.map((lane) => runLane(streams, lane, env, over, told)))
}

/** Resolves when all of it has been told of, or the shell is gone, or it was broken off. */
function runLane(
  streams: StandardStreams,
  programs: readonly LaneProgram[],
  env: Environment,
  over: AbortSignal,
  told: Told,
): Promise<void> {
  const outputs = new Map<number, ShortOutput>()
  const tell = (number: number, status: number) => {
    const output = outputs.get(number)
    if (output === undefined) return
    outputs.delete(number)
    const printed = output.close()
    // Whoever still has them open is not to be heard in the next program.
    if (printed !== undefined) streams.giveBack(...output.paths)
    told(number, status === 0 ? printed : undefined)
  }
  return new Promise<void>((resolve) => {
    const child = startShell()
    const end = () => {
      clearInterval(looking)
      over.removeEventListener('abort', breakOff)
      for (const [number, output] of outputs) {
        output.close()
        told(number, undefined)
      }
      outputs.clear()
      resolve()
    }
    const breakOff = () => {
      if (child?.pid !== undefined) endGroup(child.pid)
      end()
    }
    const looking = setInterval(() => outputs.values().next().value?.take(), lookEvery)
    over.addEventListener('abort', breakOff, { once: true })
    let rest = ''
    child?.stdout?.on('data', (chunk: Buffer) => {
      const lines = `${rest}${chunk.toString()}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [number = -1, status = 1] = line.split(' ').map(Number)
        tell(number, status)
      }
    })
    child?.on('error', end)
    child?.on('close', end)
    if (child === undefined) end()
  })

  function startShell(): ChildProcess | undefined {
    try {
      for (const { number, stdout, stderr } of programs) outputs.set(number, new ShortOutput([stdout, stderr]))
      return spawn(shell, ['-c', laneScript(programs, env)], {
        env: { ...env },
        cwd: '/',
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } catch {
      return undefined
    }
  }
}

/** Nobody waits for it; it keeps us from ending until it has. */
function endGroup(leader: number): void {
  signalGroup(leader, 'SIGTERM')
  setTimeout(() => signalGroup(leader, 'SIGKILL'), killGrace)
}
