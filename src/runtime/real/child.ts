/** A started program, either by Node.js or by the starter process: the interface both have in common. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { ProcessExit, ProcessSpec } from '../processes.ts'
import { signalGroup } from './group.ts'

export interface Child {
  /** Also the id of its process group. Undefined until it is known, and when the program could not be started. */
  readonly pid: number | undefined
  /** Output streams, unless the program was given other pipes. */
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  /** Rejects with a system error when the program could not be started. */
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

/** Node reports some failures (environment too large, working directory is a file) by an exception and others by an event. */
function attempt(spec: ProcessSpec, stdio: StdioOptions): ChildProcess | Error {
  try {
    return spawn(spec.command, spec.args ?? [], { env: spec.env, cwd: spec.cwd, detached: true, stdio })
  } catch (error) {
    return error as Error
  }
}
