/**
 * A hook: a file that was found, and what it said it binds to.
 */
import type { HookConfig } from './config/types.ts'

/** A file that counts as a hook, before it was asked for its configuration. */
export interface HookFile {
  /** Path below the root it was found in; shown in logs, metrics and queues. */
  readonly name: string
  readonly path: string
  /** The folder it lies in, where it runs. */
  readonly directory: string
  /** Where it runs when it is asked for its configuration. */
  readonly configDirectory: string
  /** What it finds in `WORKING_DIR`: the root of all hooks. */
  readonly workingDir: string
  /** Which bindings it may have: those around modules belong to `global` or `module` hooks, `standalone` ones have none of them. */
  readonly scope: HookScope
  /** `process` starts the file as a program, `worker` loads it as a module into a worker thread. */
  readonly executor: 'process' | 'worker'
}

export type HookScope = 'standalone' | 'global' | 'module'

export interface Hook extends HookFile {
  readonly config: HookConfig
}
