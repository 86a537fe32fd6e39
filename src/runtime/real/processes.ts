/**
 * Local processes, each the leader of its own process group. The error of a failed start says whether the program was not found, is not
 * executable, or names a missing interpreter.
 */
import { statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { CarabinerError } from '../errors.ts'
import type { Processes, ProcessSpec, RunningProcess } from '../processes.ts'
import { startChild } from './child.ts'
import { groupExists } from './group.ts'
import { Guard } from './guard.ts'
import { readHead } from './head.ts'
import { ProcessOutput } from './output.ts'
import { runShort } from './short-programs.ts'
import { Starter } from './starter.ts'
import { closeAll, StandardStreams } from './stdio.ts'

/** After this time the output of a process is streamed; the output of a shorter process is read once at its end. */
const followAfterMs = 10

export function createRealProcesses(starter = new Starter(), guard = new Guard()): Processes {
  const streams = new StandardStreams()
  return {
    spawn: (spec) => {
      if (spec.endsWithParent !== true) return start(spec, streams, starter)
      // Without the starter, which reports the id of the group only after the program has started.
      const running = start(spec, streams)
      guardGroup(running, guard)
      if (streams.folder !== undefined) guard.addFolder(streams.folder)
      return running
    },
    warmUp: () => streams.fillStock(),
    runShort: (programs, env, signal) => {
      const answers = runShort(streams, programs, env, { signal })
      // Hooks whose configuration is read now are likely to run next.
      starter.warmUp()
      return answers
    },
  }
}

function guardGroup({ pid, exit }: RunningProcess, guard: Guard): void {
  // The program could not be started.
  if (pid === 0) return
  guard.addGroup(pid)
  const ended = () => guard.removeGroup(pid)
  exit.then(ended, ended)
}

function start(spec: ProcessSpec, streams: StandardStreams, starter?: Starter): RunningProcess {
  const input = spec.stdin === undefined ? undefined : streams.openInput(spec.stdin)
  const [stdout, stderr] = [new ProcessOutput(), new ProcessOutput()]
  const [out, err] = [streams.openOutput(stdout), streams.openOutput(stderr)]
  const closeOurs = () => closeAll([input, out?.descriptor, err?.descriptor])
  const isSimple = input === undefined && out !== undefined && err !== undefined
  const byStarter = isSimple ? starter?.start(spec, [out.path, err.path]) : undefined
  const child = byStarter ?? startChild(spec, [input ?? 'ignore', out?.descriptor ?? 'pipe', err?.descriptor ?? 'pipe'])
  // A pipe ends when no process has it open for writing, so our end stays open until the program started by the starter has opened it.
  if (byStarter === undefined) closeOurs()
  const pipes = [out?.pipe, err?.pipe]
  if (child.stdout !== null) stdout.follow(child.stdout)
  if (child.stderr !== null) stderr.follow(child.stderr)
  const following = setTimeout(() => {
    for (const pipe of pipes) pipe?.follow()
  }, followAfterMs)
  const finish = () => {
    clearTimeout(following)
    if (byStarter !== undefined) closeOurs()
    for (const pipe of pipes) pipe?.readRest()
  }
  let isOver = false
  const ended = child.ended.then(
    (result) => {
      finish()
      return result
    },
    (error) => {
      finish()
      // Without pipes there is no end-of-file event.
      for (const output of [stdout, stderr]) output.end()
      throw explain(error, spec)
    },
  )
  const exit = ended.then(async (result) => {
    await Promise.all([stdout.drained, stderr.drained])
    isOver = true
    return result
  })
  // A caller may ignore them; an unhandled rejection would end the process.
  for (const promise of [ended, exit]) promise.catch(() => undefined)
  return {
    get pid() {
      return child.pid ?? 0
    },
    stdout,
    stderr,
    ended,
    exit,
    stopReading: () => {
      stdout.stopReading()
      stderr.stopReading()
    },
    hasRemainingChildren: () => groupExists(child.pid),
    kill: (signal) => {
      // After the end, the system may give the process group id to another group.
      if (!isOver) child.signal(signal)
    },
  }
}

function explain(error: NodeJS.ErrnoException, spec: ProcessSpec): CarabinerError {
  const name = JSON.stringify(spec.command)
  if (spec.cwd !== undefined && !isDirectory(spec.cwd)) {
    return new CarabinerError(
      'CRB_PROCESS_NOT_STARTED',
      `cannot start ${name}: the working directory ${JSON.stringify(spec.cwd)} does not exist`,
      { cause: error, remedy: 'Create the directory or use another one.' },
    )
  }
  const path = locate(spec)
  if (error.code === 'ENOENT') {
    const interpreter = path === undefined ? undefined : interpreterOf(path)
    if (interpreter !== undefined) {
      return new CarabinerError(
        'CRB_PROCESS_NOT_STARTED',
        `cannot start ${name}: its first line names the interpreter ${JSON.stringify(interpreter)}, which does not exist`,
        {
          cause: error,
          remedy: 'Install that interpreter or fix the #! line (a carriage return at its end is part of the name).',
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

/** The file the command refers to: a path, or a name searched for in the PATH of its environment. */
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
