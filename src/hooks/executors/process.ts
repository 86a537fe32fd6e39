/**
 * Runs one local process to its end. Output is passed on line by line as it arrives and is not kept here, because a hook may print for
 * hours.
 */
import { CarabinerError, type ProcessExit, type RunningProcess, type Runtime, type Timer } from '../../runtime/index.ts'
import { eachLine } from '../logs/index.ts'

export type OutputStream = 'stdout' | 'stderr'

export interface ProcessHook {
  readonly command: string
  readonly args?: readonly string[]
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Milliseconds until the process is sent SIGTERM. @default none */
  readonly timeout?: number
  /** Ends the process when it aborts, for example at shutdown. */
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
      /** Children of the process are still running. */
      readonly hasRemainingChildren: boolean
    }
  | { readonly ended: 'timeout' | 'stopped'; readonly exit: ProcessExit; readonly duration: number }
  | { readonly ended: 'not-started'; readonly error: CarabinerError; readonly duration: number }

/** Between SIGTERM and SIGKILL. */
export const killGraceMs = 10_000

/**
 * The output of an ended process ends at once, unless a remaining child holds the pipe open. Then we stop reading after this many checks in
 * a row without a new line, and at the latest after `maxOutputChecks`. One check is not enough: a busy event loop may not have read yet what
 * the pipe already contains, and reads it between two checks.
 */
const outputCheckMs = 50
const maxSilentChecks = 4
const maxOutputChecks = 100

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
  let endedBy: 'timeout' | 'stopped' | undefined
  let killTimer: Timer | undefined
  const end = (why: 'timeout' | 'stopped'): void => {
    endedBy ??= why
    running.kill('SIGTERM')
    killTimer ??= clock.after(killGraceMs, () => running.kill('SIGKILL'))
  }
  const limit = timeout === undefined ? undefined : clock.after(timeout, () => end('timeout'))
  const stop = (): void => end('stopped')
  if (signal?.aborted) stop()
  else signal?.addEventListener('abort', stop, { once: true })
  try {
    const exit = await running.ended
    await outputEnds(running, clock, () => count)
    await printed
    if (endedBy !== undefined) return { ended: endedBy, exit, duration: duration() }
    return { ended: 'exit', exit, duration: duration(), hasRemainingChildren: running.hasRemainingChildren() }
  } catch (error) {
    if (!(error instanceof CarabinerError)) throw error
    return { ended: 'not-started', error, duration: duration() }
  } finally {
    limit?.cancel()
    killTimer?.cancel()
    signal?.removeEventListener('abort', stop)
  }
}

async function outputEnds(running: RunningProcess, clock: Runtime['clock'], lines: () => number): Promise<void> {
  let timer: Timer | undefined
  const check = (checks: number, silent: number): void => {
    if (silent === maxSilentChecks || checks === maxOutputChecks) {
      running.stopReading()
      return
    }
    const before = lines()
    timer = clock.after(outputCheckMs, () => check(checks + 1, lines() === before ? silent + 1 : 0))
  }
  check(0, 0)
  await running.exit
  timer?.cancel()
}

/** Why the run failed; undefined when it succeeded. */
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
