/**
 * Local processes, each the leader of a group of its own. A failed start is explained in the words of whoever wrote the program's
 * path: not found, not executable, or an interpreter line that names nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { CarabinerError } from '../errors.ts'
import type { ProcessExit, Processes, ProcessSpec, RunningProcess } from '../processes.ts'

export function createRealProcesses(): Processes {
  return { spawn: start }
}

function start(spec: ProcessSpec): RunningProcess {
  const child = spawn(spec.command, spec.args ?? [], {
    env: { ...spec.env },
    cwd: spec.cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A program may end without reading its input; that is its right.
  child.stdin.on('error', () => undefined)
  child.stdin.end(spec.stdin)
  const exit = ended(child, spec)
  // Whoever does not look at `exit` must not be killed by an unhandled rejection.
  exit.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    stdout: child.stdout,
    stderr: child.stderr,
    exit,
    kill: (signal) => {
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, signal)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
  }
}

async function ended(child: ChildProcess, spec: ProcessSpec): Promise<ProcessExit> {
  const exit = new Promise<ProcessExit>((resolve, reject) => {
    child.once('error', (error) => reject(explain(error, spec)))
    child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }))
  })
  const result = await exit
  for (const stream of [child.stdout, child.stderr]) {
    if (stream && !stream.readableEnded && !stream.destroyed) {
      // Nobody listens: let the bytes go, so that a full pipe cannot keep the process's end from being seen.
      if (!stream.listenerCount('readable') && !stream.listenerCount('data')) stream.resume()
      await finished(stream, { writable: false }).catch(() => undefined)
    }
  }
  return result
}

function explain(error: NodeJS.ErrnoException, spec: ProcessSpec): CarabinerError {
  const name = JSON.stringify(spec.command)
  if (spec.cwd !== undefined && !isDirectory(spec.cwd)) {
    return new CarabinerError(
      'CRB_PROCESS_NOT_STARTED',
      `cannot start ${name}: the working directory ${JSON.stringify(spec.cwd)} does not exist`,
      { cause: error, remedy: 'Create the directory or name another.' },
    )
  }
  const path = locate(spec)
  if (error.code === 'ENOENT') {
    const interpreter = path === undefined ? undefined : interpreterOf(path)
    if (interpreter !== undefined) {
      return new CarabinerError(
        'CRB_PROCESS_NOT_STARTED',
        `cannot start ${name}: its first line asks for the interpreter ${JSON.stringify(interpreter)}, which does not exist`,
        {
          cause: error,
          remedy: 'Install that interpreter or mend the #! line (a carriage return at its end counts too).',
        },
      )
    }
    return new CarabinerError('CRB_PROCESS_NOT_FOUND', `cannot start ${name}: no such program`, { cause: error })
  }
  if (error.code === 'EACCES') {
    return new CarabinerError('CRB_PROCESS_NOT_STARTED', `cannot start ${name}: the file is not executable`, {
      cause: error,
      remedy: `Make it executable: chmod +x ${path ?? spec.command}`,
    })
  }
  if (error.code === 'ENOEXEC') {
    return new CarabinerError(
      'CRB_PROCESS_NOT_STARTED',
      `cannot start ${name}: it is neither a program nor has it a #! line`,
      {
        cause: error,
        remedy: 'Begin the file with a line like #!/usr/bin/env bash.',
      },
    )
  }
  return new CarabinerError('CRB_PROCESS_NOT_STARTED', `cannot start ${name}: ${error.message}`, { cause: error })
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Where the command would be found: as a path, or along the PATH it was given. */
function locate(spec: ProcessSpec): string | undefined {
  const candidates = spec.command.includes('/')
    ? [isAbsolute(spec.command) ? spec.command : join(spec.cwd ?? '.', spec.command)]
    : (spec.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, spec.command))
  return candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}

function interpreterOf(path: string): string | undefined {
  const head = new Uint8Array(256)
  try {
    const file = openSync(path, 'r')
    try {
      readSync(file, head)
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
  return /^#![ \t]*([^ \t\n]+)/.exec(new TextDecoder().decode(head))?.[1]
}
