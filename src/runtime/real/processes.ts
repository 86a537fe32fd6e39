/**
 * Local processes, each the leader of a group of its own. A failed start is explained in the words of whoever wrote the program's
 * path: not found, not executable, or an interpreter line that names nothing.
 */
import { statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { CarabinerError } from '../errors.ts'
import type { Processes, ProcessSpec, RunningProcess } from '../processes.ts'
import { startChild } from './child.ts'
import { isGroupThere } from './group.ts'
import { readHead } from './head.ts'
import { ProcessOutput } from './output.ts'
import { runShort } from './short-programs.ts'
import { Starter } from './starter.ts'
import { closeAll, StandardStreams } from './stdio.ts'

/** Milliseconds after which the output of a process is followed rather than read at its end. */
const shortRun = 10

export function createRealProcesses(starter = new Starter()): Processes {
  const streams = new StandardStreams()
  return {
    spawn: (spec) => start(spec, streams, starter),
    makeReady: () => streams.stockUp(),
    runShort: (programs, env, signal) => {
      const answers = runShort(streams, programs, env, signal)
      // Programs that are asked are likely to be run next.
      starter.makeReady()
      return answers
    },
  }
}

function start(spec: ProcessSpec, streams: StandardStreams, starter: Starter): RunningProcess {
  const input = spec.stdin === undefined ? undefined : streams.openInput(spec.stdin)
  const [stdout, stderr] = [new ProcessOutput(), new ProcessOutput()]
  const [out, err] = [streams.openOutput(stdout), streams.openOutput(stderr)]
  const closeOurs = () => closeAll([input, out?.descriptor, err?.descriptor])
  const isSimple = input === undefined && out !== undefined && err !== undefined
  const ordered = isSimple ? starter.start(spec, [out.path, err.path]) : undefined
  const child = ordered ?? startChild(spec, [input ?? 'ignore', out?.descriptor ?? 'pipe', err?.descriptor ?? 'pipe'])
  // A pipe is over when nobody has it open for writing, which must not be so before the one who was ordered to opens it.
  if (ordered === undefined) closeOurs()
  const pipes = [out?.pipe, err?.pipe]
  if (child.stdout !== null) stdout.follow(child.stdout)
  if (child.stderr !== null) stderr.follow(child.stderr)
  const following = setTimeout(() => {
    for (const pipe of pipes) pipe?.follow()
  }, shortRun)
  const finish = () => {
    clearTimeout(following)
    if (ordered !== undefined) closeOurs()
    for (const pipe of pipes) pipe?.takeRest()
  }
  let over = false
  const ended = child.ended.then(
    (result) => {
      finish()
      return result
    },
    (error) => {
      finish()
      // Where there are no pipes, there may be nothing that ends.
      for (const output of [stdout, stderr]) output.end()
      throw explain(error, spec)
    },
  )
  const exit = ended.then(async (result) => {
    await Promise.all([stdout.drained, stderr.drained])
    over = true
    return result
  })
  // Whoever does not look at them must not be killed by an unhandled rejection.
  for (const promise of [ended, exit]) promise.catch(() => undefined)
  return {
    get pid() {
      return child.pid ?? 0
    },
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
      if (!over) child.signal(signal)
    },
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
