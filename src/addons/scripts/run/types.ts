/** The input and the result of one run of one hook. */
import type { ProcessExit } from '../../../runtime/index.ts'
import type { Hook } from '../hook.ts'
import type { MetricOperation } from '../metrics/operation.ts'
import type { ObjectOperation } from '../patches/operation.ts'

export interface RunRequest {
  readonly hook: Hook
  /** The JSON array of binding contexts, or a function that writes it to the file of that path (for large ones). */
  readonly contexts: string | ((path: string) => Promise<void>)
  /** Fields of every line the hook prints. */
  readonly log: RunLabels
  /** JSON of `VALUES_PATH` and `CONFIG_VALUES_PATH`. @default `{"global":{}}` */
  readonly values?: { readonly values: string; readonly configValues: string }
  /** Milliseconds. @default none */
  readonly timeout?: number
  /** W3C trace context of the run's span: what the hook finds in `TRACEPARENT`. @default none */
  readonly traceparent?: string | undefined
  /** Ends the run: SIGTERM, and SIGKILL when that is not enough. */
  readonly signal?: AbortSignal
}

export interface RunLabels {
  readonly binding: string
  readonly queue: string
  readonly task: string
  readonly event: string
  /** `runKey` of the run. */
  readonly run?: string
}

export interface RunResult {
  /** Undefined when nothing could be started. */
  readonly exit: ProcessExit | undefined
  /** Milliseconds. */
  readonly duration: number
  readonly metrics: readonly MetricOperation[]
  /** After a failure only those with `ignoreHookError`. */
  readonly patches: readonly ObjectOperation[]
  /** Texts of the response files; empty when untouched. */
  readonly answers: { readonly admission: string; readonly conversion: string }
  /** Texts of the values patch files; empty when untouched. */
  readonly valuesPatches: { readonly values: string; readonly configValues: string }
  readonly failure?: RunFailure
  /** The end of what the hook printed. */
  readonly log?: string
}

export interface RunFailure {
  readonly reason: FailureReason
  /** For the log and the admission response: the end of standard error, or why the hook did not run. */
  readonly message: string
}

export type FailureReason =
  | 'ExitCode'
  | 'Signal'
  | 'Timeout'
  | 'Stopped'
  | 'NotStarted'
  /** A hook that is a function threw, or its thread ended. */
  | 'Threw'
  /** A file could not be written or read, for example because the disk is full. */
  | 'Files'
  /** The content of one of the hook's files is malformed. */
  | 'Output'
  /** The hook succeeded, but its results could not be applied. */
  | 'Effects'
