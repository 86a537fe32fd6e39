/**
 * Hooks that are local processes. They end with us: whoever comes after our death starts them again. Output is handed over line by line as
 * it comes and never kept, so that a hook may print for hours; who wrote the lines and where they go is the caller's business.
 */
import type { Timer } from '../../runtime/clock.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { ProcessExit, RunningProcess } from '../../runtime/processes.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { eachLine } from '../logs/index.ts'

export type OutputStream = 'stdout' | 'stderr'

export interface ProcessHook {
  readonly command: string
  readonly args?: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Milliseconds until the process is told to end. @default none */
  readonly timeout?: number
  /** Tells the process to end, for example at shutdown. */
  readonly signal?: AbortSignal
  readonly line: (stream: OutputStream, text: string) => void
  /** Characters after which a line is cut. @default 10,000 */
  readonly lineLimit?: number
}

export type ProcessOutcome =
  | {
      readonly ended: 'exit'
      readonly exit: ProcessExit
      readonly duration: number
      /** Children of it live on. */
      readonly hasLeftOthers: boolean
    }
  | { readonly ended: 'timeout' | 'stopped'; readonly exit: ProcessExit; readonly duration: number }
  | { readonly ended: 'not-started'; readonly error: CarabinerError; readonly duration: number }

/** Between the polite signal and the one that cannot be refused, in milliseconds. */
export const killGraceMs = 10_000

/**
 * How often the output of a process that has ended is looked at, in milliseconds, how often it may be silent in a row, and how often it is looked
 * at in all. It ends at once, unless a child that was left behind holds the pipe open. One look is not enough, however late: this process
 * may have been too busy to read what has long been there, and between two looks it reads.
 */
const lookEvery = 50
const silentLooks = 4
const mostLooks = 100

export async function runProcess(
  { clock, processes }: Pick<Runtime, 'clock'> & { readonly processes: Pick<Runtime['processes'], 'spawn'> },
  { command, args = [], env, cwd, timeout, signal, line, lineLimit }: ProcessHook,
): Promise<ProcessOutcome> {
  const start = clock.monotonic()
  const duration = (): number => clock.monotonic() - start
  const running = processes.spawn({ command, args, env, cwd })
  let count = 0
  const follow = (stream: OutputStream): Promise<void> =>
    eachLine(
      running[stream],
      (text) => {
        count++
        line(stream, text)
      },
      lineLimit,
    )
  const printed = Promise.all([follow('stdout'), follow('stderr')])
  let broken: 'timeout' | 'stopped' | undefined
  let last: Timer | undefined
  const breakOff = (why: 'timeout' | 'stopped'): void => {
    broken ??= why
    running.kill('SIGTERM')
    last ??= clock.after(killGraceMs, () => running.kill('SIGKILL'))
  }
  const limit = timeout === undefined ? undefined : clock.after(timeout, () => breakOff('timeout'))
  const stop = (): void => breakOff('stopped')
  if (signal?.aborted) stop()
  else signal?.addEventListener('abort', stop, { once: true })
  try {
    const exit = await running.ended
    await drained(running, clock, () => count)
    await printed
    if (broken !== undefined) return { ended: broken, exit, duration: duration() }
    return { ended: 'exit', exit, duration: duration(), hasLeftOthers: running.hasRemainingChildren() }
  } catch (error) {
    if (!(error instanceof CarabinerError)) throw error
    return { ended: 'not-started', error, duration: duration() }
  } finally {
    limit?.cancel()
    last?.cancel()
    signal?.removeEventListener('abort', stop)
  }
}

async function drained(running: RunningProcess, clock: Runtime['clock'], lines: () => number): Promise<void> {
  let timer: Timer | undefined
  const look = (looks: number, silent: number): void => {
    if (silent === silentLooks || looks === mostLooks) {
      running.stopReading()
      return
    }
    const before = lines()
    timer = clock.after(lookEvery, () => look(looks + 1, lines() === before ? silent + 1 : 0))
  }
  look(0, 0)
  await running.exit
  timer?.cancel()
}

/** What a failed end means, in words for the log. */
export function describeOutcome(outcome: ProcessOutcome, timeout = 0): string | undefined {
  switch (outcome.ended) {
    case 'not-started':
      return `${outcome.error.message}. ${outcome.error.remedy}`
    case 'timeout':
      return `was ended because it took longer than ${timeout} ms`
    case 'stopped':
      return 'was ended because the operator stops'
    case 'exit':
      if (outcome.exit.signal !== undefined) return `was ended by signal ${outcome.exit.signal}`
      return outcome.exit.code === 0 ? undefined : `exited with code ${outcome.exit.code}`
  }
}
