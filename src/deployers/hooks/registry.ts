/**
 * The points at which hooks extend a deployer, and the registry a deployer exposes them by. Registration order is execution
 * order; a registry is frozen when its controller starts.
 */
import type { Instant, Logger } from '../../runtime/index.ts'
import type { DeployItem, Target } from '../resources/types.ts'

export const hookTypes = [
  'Start',
  'DuringResponsibilityCheck',
  'AfterResponsibilityCheck',
  'ShouldReconcile',
  'BeforeAnyReconcile',
  'BeforeAbort',
  'BeforeForceReconcile',
  'BeforeDelete',
  'BeforeReconcile',
  'End',
] as const

export type HookType = (typeof hookTypes)[number]

/** What a controller does after a reconcile without an error. */
export interface ReconcileResult {
  /** Reconcile again at once. @default false */
  readonly requeue?: boolean
  /** Reconcile again after this many milliseconds; 0 or less means no requeue. @default 0 */
  readonly requeueAfterMs?: number
}

export interface HookResult {
  readonly reconcileResult?: ReconcileResult
  /**
   * Ends this reconcile. At DuringResponsibilityCheck and ShouldReconcile, false forces the reconcile to continue; a missing value means
   * false. @default false
   */
  readonly abortReconcile?: boolean
}

export interface HookArguments<T extends HookType = HookType> {
  readonly type: T
  readonly deployItem: T extends 'Start' ? undefined : DeployItem
  readonly target: T extends 'Start' ? undefined : Target | undefined
  readonly log: Logger
  readonly signal: AbortSignal
  /** The time of this reconcile. */
  readonly now: Instant
}

type HookAnswer = HookResult | null | undefined

/** A hook without an opinion returns nothing; a thrown value ends the reconcile with an error. */
export type ReconcileExtensionHook<T extends HookType = HookType> = (
  given: HookArguments<T>,
) => HookAnswer | Promise<HookAnswer>

/** A hook and the points it is for. */
export interface HookSetup<T extends HookType = HookType> {
  readonly hook: ReconcileExtensionHook<T>
  readonly hookTypes: readonly T[]
}

export class ReconcileExtensionHooks {
  readonly #hooks = new Map<HookType, ReconcileExtensionHook[]>()
  #frozen = false

  /** Appends the hook to each of the types; without types it does nothing. */
  registerHook<T extends HookType>(hook: ReconcileExtensionHook<T>, ...types: readonly T[]): this {
    if (this.#frozen) throw new Error('hooks cannot be registered while the deployer runs')
    for (const type of types) {
      const hooks = this.#hooks.get(type)
      // The hook is only ever called with the arguments of the types it was registered for.
      if (hooks === undefined) this.#hooks.set(type, [hook as ReconcileExtensionHook])
      else hooks.push(hook as ReconcileExtensionHook)
    }
    return this
  }

  registerHookSetup<T extends HookType>(setup: HookSetup<T>): this {
    return this.registerHook(setup.hook, ...setup.hookTypes)
  }

  get(type: HookType): readonly ReconcileExtensionHook[] {
    return this.#hooks.get(type) ?? none
  }

  /** Called when a controller starts with these hooks. */
  freeze(): this {
    this.#frozen = true
    return this
  }
}

const none: readonly ReconcileExtensionHook[] = []
