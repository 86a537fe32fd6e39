/** What the actions of configured hooks are given. */
import type { Json } from '../../runtime/json.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { HookArguments, HookType } from './registry.ts'

/** What a hook is given, as JSON. */
export interface HookContext {
  readonly point: HookType
  readonly hook: string
  readonly time: string
  readonly deployItem?: Json
  readonly target?: Json
}

/** What all ways of running a hook need. */
export interface HookRun {
  readonly runtime: Runtime
  /** Milliseconds. */
  readonly timeout: number
  readonly hook: HookArguments
}
