/** A hook: a file and its configuration. */
import type { HookConfig } from './config/types.ts'

/** A hook file before its configuration is loaded. */
export interface HookFile {
  /** The path relative to the hooks folder; used in logs, metrics and queues. */
  readonly name: string
  readonly path: string
  /** Its folder, in which it runs. */
  readonly directory: string
  /** The folder in which it runs with --config. */
  readonly configDirectory: string
  /** The value of `WORKING_DIR`: the root of all hooks. */
  readonly workingDir: string
  /** Which bindings it may have: only `global` and `module` hooks have bindings around modules. */
  readonly scope: HookScope
  /** `process` runs the file as a program; `worker` loads it as a module in a worker thread. */
  readonly executor: 'process' | 'worker'
}

export type HookScope = 'standalone' | 'global' | 'module'

export interface Hook extends HookFile {
  readonly config: HookConfig
}
