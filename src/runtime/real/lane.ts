/**
 * One shell that runs short programs one after the other. It goes on by itself for as many as it has pipes for, so that it does not stand still
 * while this thread is busy, and is told whenever one of them can be used again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Printed, ShortProgram } from '../processes.ts'
import { signalGroup } from './group.ts'
import { laneScript, type PipePair, shell } from './shell-lane.ts'
import { ShortOutput } from './short-output.ts'
import { hearLines } from './told-lines.ts'

/** Milliseconds between two looks at what a program prints that is not over yet: a pipe holds only so much. */
const lookEvery = 20
/** Milliseconds from the polite signal to the other one. */
const killGrace = 1000

export interface LaneOptions {
  readonly programs: readonly ShortProgram[]
  readonly pairs: readonly PipePair[]
  readonly env: Readonly<Record<string, string>>
  /** Breaks it off. */
  readonly over: AbortSignal
  /** In their order; those that are not told of were not run to their end. */
  told(index: number, printed: Printed | undefined): void
}

/** Resolves when nothing more will be told, with those pipes that can be used again. */
export function runLane({ programs, pairs, env, over, told }: LaneOptions): Promise<readonly string[]> {
  const outputs = openAll(pairs)
  const clean = new Set(outputs)
  let next = 0
  return new Promise((resolve) => {
    const child = outputs.length === 0 ? undefined : startShell(laneScript(programs, pairs, env), env)
    const end = () => {
      clearInterval(looking)
      over.removeEventListener('abort', breakOff)
      child?.stdout?.removeAllListeners('data')
      for (const output of outputs) output.close()
      outputs.length = 0
      // If not all was told, somebody may yet open them.
      resolve(next < programs.length ? [] : [...clean].flatMap(({ paths }) => paths))
    }
    const breakOff = () => {
      if (child?.pid !== undefined) endGroup(child.pid)
      end()
    }
    const hear = (status: string) => {
      const index = next++
      const output = outputs[index % outputs.length]
      const printed = output?.finish()
      // Whoever still has it open is not to be heard in another program.
      if (printed === undefined && output !== undefined) clean.delete(output)
      if (clean.size === outputs.length) child?.stdin?.write('\n')
      else child?.stdin?.end()
      told(index, status === '0' ? printed : undefined)
    }
    const looking = setInterval(() => outputs[next % outputs.length]?.take(), lookEvery)
    over.addEventListener('abort', breakOff, { once: true })
    if (child?.stdout) hearLines(child.stdout, hear)
    // It ends without listening to all that it was told.
    child?.stdin?.on('error', () => undefined)
    child?.once('error', end)
    child?.once('close', end)
    if (child === undefined) end()
  })
}

/** None when there are not enough descriptors left. */
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

/** Nobody waits for it; it keeps us from ending until it has. */
function endGroup(leader: number): void {
  signalGroup(leader, 'SIGTERM')
  setTimeout(() => signalGroup(leader, 'SIGKILL'), killGrace)
}
