/**
 * Scripted processes: a function plays the program. Each runs in its own cell, so that a kill stops it at any point, and is halted with the
 * process that started it.
 */
import { CarabinerError } from '../errors.ts'
import type { ProcessExit, Processes, ProcessSpec, RunningProcess } from '../processes.ts'
import type { Runtime } from '../runtime.ts'
import type { Cell } from './cell.ts'
import { Pipe } from './pipe.ts'
import { createShortPrograms } from './short-programs.ts'

export type Signal = Parameters<RunningProcess['kill']>[0]

/** What a script sees of the process it plays. */
export interface ScriptedProcess {
  readonly spec: ProcessSpec
  /** The runtime of this process; nothing in it continues after a kill. */
  readonly runtime: Runtime
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** Handles a signal that would otherwise end the process. SIGKILL cannot be handled. */
  readonly trap: (signal: Exclude<Signal, 'SIGKILL'>, handler: () => void) => void
}

/** Plays a program and returns its exit code. An exception ends it with code 1 and its message on standard error. */
export type ProcessScript = (process: ScriptedProcess) => Promise<number>

export interface ProcessTable {
  readonly scripts: ReadonlyMap<string, ProcessScript>
  nextPid(): number
  /** Creates cell and runtime of a process. */
  createCell(name: string): { readonly cell: Cell; readonly runtime: Runtime }
}

export function createScriptedProcesses(parent: Cell, table: ProcessTable): Processes {
  const spawn: Processes['spawn'] = (spec) => {
    const script = table.scripts.get(spec.command) ?? table.scripts.get(baseName(spec.command))
    const running = script === undefined ? missing(parent, spec) : run(parent, table, spec, script)
    running.exit.catch(() => undefined)
    return running
  }
  return { spawn, warmUp: async () => undefined, runShort: createShortPrograms(parent, spawn) }
}

/** A scripted process has no children, so its output ends with it. */
const withoutChildren = { stopReading: () => undefined, hasRemainingChildren: () => false }

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function missing(parent: Cell, spec: ProcessSpec): RunningProcess {
  const output = new Pipe(parent)
  output.end()
  const exit = parent.deliver((): ProcessExit => {
    throw new CarabinerError('CRB_PROCESS_NOT_FOUND', `cannot start ${JSON.stringify(spec.command)}: no such program`)
  })
  return { pid: 0, stdout: output, stderr: output, ended: exit, exit, ...withoutChildren, kill: () => undefined }
}

function run(parent: Cell, table: ProcessTable, spec: ProcessSpec, script: ProcessScript): RunningProcess {
  const pid = table.nextPid()
  const label = `${spec.command}[${pid}]`
  const { cell, runtime } = table.createCell(label)
  const stdout = new Pipe(parent)
  const stderr = new Pipe(parent)
  const traps = new Map<Signal, () => void>()
  parent.record(`process start ${[label, ...(spec.args ?? [])].join(' ')}`)
  const waited = parent.wait(`end of process ${label}`)
  let end: (exit: ProcessExit) => void = () => undefined
  const exit = new Promise<ProcessExit>((resolve) => {
    const orphaned = parent.onHalt(() => cell.halt())
    end = (result) => {
      if (cell.halted) return
      cell.halt()
      orphaned()
      stdout.end()
      stderr.end()
      parent.scheduler.schedule(parent, 0, () => {
        waited()
        parent.record(`process exit ${label} ${result.signal ?? result.code}`)
        resolve(result)
      })
    }
  })
  const encoder = new TextEncoder()
  const print = (pipe: Pipe) => (text: string) => {
    if (!cell.halted) pipe.push(encoder.encode(text))
  }
  const process: ScriptedProcess = {
    spec,
    runtime,
    print: print(stdout),
    printError: print(stderr),
    trap: (signal, handler) => void traps.set(signal, handler),
  }
  cell
    .deliver(() => undefined)
    .then(() => script(process))
    .then(
      (code) => end({ code, signal: undefined }),
      (error: unknown) => {
        process.printError(`${error instanceof Error ? error.message : String(error)}\n`)
        end({ code: 1, signal: undefined })
      },
    )
  const kill = (signal: Signal): void => {
    if (cell.halted) return
    parent.record(`process kill ${label} ${signal}`)
    parent.scheduler.schedule(cell, 0, () => {
      const trap = signal === 'SIGKILL' ? undefined : traps.get(signal)
      if (trap === undefined) end({ code: undefined, signal })
      else trap()
    })
  }
  return { pid, stdout, stderr, ended: exit, exit, ...withoutChildren, kill }
}
