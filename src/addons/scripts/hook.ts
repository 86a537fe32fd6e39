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
  /** Hooks of modules come with the modules; all others are global. */
  readonly scope: 'global' | 'module'
  /** `process` starts the file as a program, `worker` loads it as a module into a worker thread. */
  readonly executor: 'process' | 'worker'
}

export interface Hook extends HookFile {
  readonly config: HookConfig
}
