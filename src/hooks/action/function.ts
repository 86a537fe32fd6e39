/** The action that is a function of a module, called in a worker thread. A script hook's file is its configuration, so it has no schema. */
import type { WorkerSpec } from '../../runtime/index.ts'
import type { LogLine } from '../logs/index.ts'

/** Compiled: which function is called with what. */
export interface FunctionAction extends WorkerSpec {
  /** The exported name of the function. */
  readonly member: string
  readonly argument?: unknown
  /** Milliseconds until the function's signal aborts. @default none */
  readonly timeout?: number
  /** Called for each line as it is printed. */
  readonly onLine?: (line: LogLine) => void
}
