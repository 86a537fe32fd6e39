/**
 * One shell that runs short programs one after the other. It runs as many programs as it has pipes without an answer from this thread,
 * which may be busy; a line on its standard input says that a pair of pipes can be used again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { ProgramOutput, ShortProgram } from '../processes.ts'
import { signalGroup } from './group.ts'
import { onLines } from './output-lines.ts'
import { laneScript, type PipePair, shell } from './shell-lane.ts'
import { ShortOutput } from './short-output.ts'

/** How often the output of a running program is read, because a full pipe blocks the program. */
const pollIntervalMs = 20
/** The time between SIGTERM and SIGKILL. */
const killGraceMs = 1000

export interface LaneOptions {
  readonly programs: readonly ShortProgram[]
  readonly pairs: readonly PipePair[]
  readonly env: Readonly<Record<string, string>>
  /** Stops the shell and its programs. */
  readonly cancelled: AbortSignal
  /** Called in the order of the programs; not called for a program that did not finish. */
  onResult(index: number, printed: ProgramOutput | undefined): void
}

/** Resolves after the last result with the paths of the pipes that can be used again. */
export function runLane({ programs, pairs, env, cancelled, onResult }: LaneOptions): Promise<readonly string[]> {
  const outputs = openAll(pairs)
  const clean = new Set(outputs)
  let next = 0
  return new Promise((resolve) => {
    const child = outputs.length === 0 ? undefined : startShell(laneScript(programs, pairs, env), env)
    const end = () => {
      clearInterval(polling)
      cancelled.removeEventListener('abort', cancel)
      child?.stdout?.removeAllListeners('data')
      for (const output of outputs) output.close()
      outputs.length = 0
      // After an early end a program may still open its pipes, so none is used again.
      resolve(next < programs.length ? [] : [...clean].flatMap(({ paths }) => paths))
    }
    const cancel = () => {
      if (child?.pid !== undefined) endGroup(child.pid)
      end()
    }
    const onStatus = (status: string) => {
      const index = next++
      const output = outputs[index % outputs.length]
      const printed = output?.finish()
      // A child still has these pipes open; its output must not mix with that of the next program.
      if (printed === undefined && output !== undefined) clean.delete(output)
      if (clean.size === outputs.length) child?.stdin?.write('\n')
      else child?.stdin?.end()
      onResult(index, status === '0' ? printed : undefined)
    }
    const polling = setInterval(() => outputs[next % outputs.length]?.take(), pollIntervalMs)
    cancelled.addEventListener('abort', cancel, { once: true })
    if (child?.stdout) onLines(child.stdout, onStatus)
    // The shell may exit before it has read all lines.
    child?.stdin?.on('error', () => undefined)
    child?.once('error', end)
    child?.once('close', end)
    if (child === undefined) end()
  })
}

/** Empty when there are not enough file descriptors. */
function openAll(pairs: readonly PipePair[]): ShortOutput[] {
  const outputs: ShortOutput[] = []
  try {
    for (const pair of pairs) outputs.push(new ShortOutput(pair))
    return outputs
  } catch {
    for (const output of outputs) output.close()
    return []
  }
}

function startShell(script: string, env: Readonly<Record<string, string>>): ChildProcess | undefined {
  try {
    return spawn(shell, ['-c', script], {
      env,
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
  } catch {
    return undefined
  }
}

/** Not awaited; the timer keeps this process running until SIGKILL has been sent. */
function endGroup(leader: number): void {
  signalGroup(leader, 'SIGTERM')
  setTimeout(() => signalGroup(leader, 'SIGKILL'), killGraceMs)
}
