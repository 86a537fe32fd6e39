/** What a hook of configuration gets, and what its run is made with. */
import type { Run } from '../../hooks/index.ts'
import type { Json } from '../../runtime/index.ts'
import type { RunOutput } from './records.ts'
import type { HookArguments, HookType } from './registry.ts'
import type { HookRunner } from './runner.ts'

/** As JSON. */
export interface HookContext {
  readonly point: HookType
  readonly hook: string
  readonly time: string
  readonly deployItem?: Json
  readonly target?: Json
}

/** For hooks that this process carries. */
export interface HookRun {
  readonly runner: HookRunner
  readonly run: Run
  /** Milliseconds. */
  readonly timeout: number
  readonly hook: HookArguments
  readonly output: RunOutput
}
