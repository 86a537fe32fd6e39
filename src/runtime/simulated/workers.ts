/** Modules that a simulation plays: their members run in their own cell, so that ending a worker stops it at any point. */
import { type ModuleWorker, WorkerFailure, type Workers } from '../workers.ts'
import type { Cell } from './cell.ts'
import { Pipe } from './pipe.ts'

/** The default export of a played module. */
export type PlayedModule = Readonly<Record<string, unknown>>

export interface ModuleTable {
  readonly modules: ReadonlyMap<string, PlayedModule>
  /** Creates the cell of a worker. */
  createCell(name: string): { readonly cell: Cell }
}

export function createPlayedWorkers(parent: Cell, table: ModuleTable): Workers {
  return { start: ({ module }) => run(parent, table, module) }
}

function run(parent: Cell, table: ModuleTable, path: string): ModuleWorker {
  const { cell } = table.createCell(`worker ${path}`)
  const [stdout, stderr] = [new Pipe(parent), new Pipe(parent)]
  const pending = new Set<(error: WorkerFailure) => void>()
  const end = (): void => {
    cell.halt()
    stdout.end()
    stderr.end()
    for (const reject of pending) reject(new WorkerFailure('ended', 'was ended'))
    pending.clear()
  }
  parent.onHalt(() => cell.halt())
  return {
    stdout,
    stderr,
    call: (member, argument, signal) =>
      new Promise((resolve, reject) => {
        pending.add(reject)
        const settle = (act: () => void): void => {
          parent.scheduler.schedule(parent, 0, () => {
            if (pending.delete(reject)) act()
          })
        }
        if (cell.halted) end()
        const fail = (error: unknown): void =>
          settle(() => reject(new WorkerFailure('threw', error instanceof Error ? error.message : String(error))))
        cell
          .deliver(() => memberOf(table.modules.get(path), path, member))
          .then((value) =>
            typeof value === 'function' ? value(argument, signal ?? new AbortController().signal) : value,
          )
          .then((value: unknown) => settle(() => resolve(value)), fail)
      }),
    terminate: async () => end(),
  }
}

function memberOf(module: PlayedModule | undefined, path: string, member: string): unknown {
  if (module === undefined) throw new Error(`there is no module ${path}`)
  return module[member]
}
