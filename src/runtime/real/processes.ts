/**
 * Local processes, each the leader of a group of its own. A failed start is explained in the words of whoever wrote the program's
 * path: not found, not executable, or an interpreter line that names nothing.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { CarabinerError } from '../errors.ts'
import type { ProcessExit, Processes, ProcessSpec, RunningProcess } from '../processes.ts'
import { isGroupThere, signalGroup } from './group.ts'
import { readHead } from './head.ts'
import { ProcessOutput } from './output.ts'
import { runShort } from './short-programs.ts'
import { closeAll, StandardStreams } from './stdio.ts'

/** Milliseconds after which the output of a process is followed rather than read at its end. */
const shortRun = 10

export function createRealProcesses(): Processes {
  const streams = new StandardStreams()
  return {
    spawn: (spec) => start(spec, streams),
    makeReady: () => streams.stockUp(),
    runShort: (programs, env, signal) => runShort(streams, programs, env, signal),
  }
}

function start(spec: ProcessSpec, streams: StandardStreams): RunningProcess {
  const input = spec.stdin === undefined ? undefined : streams.openInput(spec.stdin)
  const [stdout, stderr] = [new ProcessOutput(), new ProcessOutput()]
  const [out, err] = [streams.openOutput(stdout), streams.openOutput(stderr)]
  const child = attempt(spec, [input ?? 'ignore', out?.descriptor ?? 'pipe', err?.descriptor ?? 'pipe'])
  closeAll([input, out?.descriptor, err?.descriptor])
  const pipes = [out?.pipe, err?.pipe]
  const takeRest = () => {
    for (const pipe of pipes) pipe?.takeRest()
  }
  if (child instanceof Error) {
    takeRest()
    for (const output of [stdout, stderr]) output.end()
    const exit = Promise.reject(explain(child, spec))
    exit.catch(() => undefined)
    const nobody = { letGo: () => undefined, hasLeftOthers: () => false, kill: () => undefined }
    return { pid: 0, stdout, stderr, ended: exit, exit, ...nobody }
  }
  if (child.stdout !== null) stdout.follow(child.stdout)
  if (child.stderr !== null) stderr.follow(child.stderr)
  const following = setTimeout(() => {
    for (const pipe of pipes) pipe?.follow()
  }, shortRun)
  let over = false
  const ended = new Promise<ProcessExit>((resolve, reject) => {
    const finish = () => {
      clearTimeout(following)
      takeRest()
    }
    child.on('error', (error) => {
      finish()
      reject(explain(error, spec))
    })
    child.once('exit', (code, signal) => {
      finish()
      resolve({ code: code ?? undefined, signal: signal ?? undefined })
    })
  })
  const exit = ended.then(async (result) => {
    await Promise.all([stdout.drained, stderr.drained])
    over = true
    return result
  })
  // Whoever does not look at them must not be killed by an unhandled rejection.
  for (const promise of [ended, exit]) promise.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    exit,
    letGo: () => {
      stdout.letGo()
      stderr.letGo()
    },
    hasLeftOthers: () => isGroupThere(child.pid),
    kill: (signal) => {
      // Once all is over the number may belong to another group.
      if (child.pid !== undefined && !over) signalGroup(child.pid, signal)
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
  try {
    return /^#![ \t]*([^ \t\n]+)/.exec(new TextDecoder().decode(readHead(path, 256)))?.[1]
  } catch {
    return undefined
  }
}
