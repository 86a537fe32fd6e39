/** A program that was started, whoever did it: as much as the others need to know of it. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ProcessExit, ProcessSpec } from '../processes.ts'
import { signalGroup } from './group.ts'

export interface Child {
  /** The group it leads has the same. Undefined as long as it is not known, and when it could not be started. */
  readonly pid: number | undefined
  /** What it prints that was not given pipes to print to. */
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** Rejects with an error of the system when it could not be started. */
  readonly ended: Promise<ProcessExit>
  signal(name: NodeJS.Signals): void
}

export function startChild(spec: ProcessSpec, stdio: StdioOptions): Child {
  const child = attempt(spec, stdio)
  if (child instanceof Error) {
    return { pid: undefined, stdout: null, stderr: null, ended: Promise.reject(child), signal: () => undefined }
  }
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: new Promise((resolve, reject) => {
      child.on('error', reject)
      child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }))
    }),
    signal: (name) => {
      if (child.pid !== undefined) signalGroup(child.pid, name)
    },
  }
}

/** Node reports some failures (an environment too large, a folder that is a file) by an exception, others by an event. */
function attempt(spec: ProcessSpec, stdio: StdioOptions): ChildProcess | Error {
  try {
    return spawn(spec.command, spec.args ?? [], { env: spec.env, cwd: spec.cwd, detached: true, stdio })
  } catch (error) {
    return error as Error
  }
}
