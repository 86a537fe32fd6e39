/**
 * Runs the hooks of one point in the order of their registration. Hooks that return synchronously are not awaited, so that a point costs
 * little; the first hook that fails ends the point and the results of the others are dropped.
 */
import { type AbortRule, type Aggregated, abortRuleOf, copy, merge } from './aggregate.ts'
import { type HookDeadline, isThenable, withDeadline } from './deadline.ts'
import type { HookRecords } from './records.ts'
import {
  type HookArguments,
  type HookType,
  hookTypes,
  type ReconcileExtensionHook,
  type ReconcileExtensionHooks,
} from './registry.ts'
import { checkedResult } from './results.ts'

/** A hook threw; the message names the point and the hook's place in it. */
export class HookError extends Error {
  readonly type: HookType
  readonly index: number

  constructor(type: HookType, index: number, cause: unknown) {
    const message = cause instanceof Error ? cause.message : String(cause)
    super(`hook ${index} of ${type}: ${message}`, { cause })
    this.name = 'HookError'
    this.type = type
    this.index = index
  }
}

/** Undefined when no hook returned a result. A promise only when a hook returned one. */
export function executeHooks<T extends HookType>(
  hooks: ReconcileExtensionHooks,
  given: HookArguments<T>,
  records?: HookRecords,
  deadline?: HookDeadline,
): Aggregated | undefined | Promise<Aggregated | undefined> {
  const { type } = given
  const registered = hooks.get(type)
  if (registered.length === 0) {
    if (!hookTypes.includes(type)) throw new Error(`unknown hook type "${String(type)}"`)
    return undefined
  }
  return new Execution(registered, given as HookArguments, { records, deadline }).run()
}

const recordingHooks = new WeakSet<ReconcileExtensionHook>()

/** Marks a hook whose runs are recorded where they are carried out. */
export function recordsItself(hook: ReconcileExtensionHook): ReconcileExtensionHook {
  recordingHooks.add(hook)
  return hook
}

class Execution {
  readonly #hooks: readonly ReconcileExtensionHook[]
  readonly #given: HookArguments
  readonly #records: HookRecords | undefined
  readonly #deadline: HookDeadline | undefined
  readonly #rule: AbortRule
  #sum: Aggregated | undefined

  constructor(
    hooks: readonly ReconcileExtensionHook[],
    given: HookArguments,
    { records, deadline }: { readonly records: HookRecords | undefined; readonly deadline: HookDeadline | undefined },
  ) {
    this.#hooks = hooks
    this.#given = given
    this.#records = records
    this.#deadline = deadline
    this.#rule = abortRuleOf(given.type)
  }

  run(): Aggregated | undefined | Promise<Aggregated | undefined> {
    for (const [index, hook] of this.#hooks.entries()) {
      try {
        const answer = this.#call(hook, index)
        if (isThenable(answer)) return this.#continue(index, answer)
        this.#add(answer)
      } catch (error) {
        throw new HookError(this.#given.type, index, error)
      }
    }
    return this.#sum
  }

  /** Continues with the hook at `from`, which returned a promise. */
  async #continue(from: number, pending: PromiseLike<unknown>): Promise<Aggregated | undefined> {
    for (let index = from; index < this.#hooks.length; index += 1) {
      try {
        this.#add(await (index === from ? pending : this.#call(this.#hooks[index], index)))
      } catch (error) {
        throw new HookError(this.#given.type, index, error)
      }
    }
    return this.#sum
  }

  #call(hook: ReconcileExtensionHook | undefined, index: number): unknown {
    const [given, records, deadline] = [this.#given, this.#records, this.#deadline]
    // Hooks of configuration have timeouts of their own.
    if (hook === undefined || recordingHooks.has(hook)) return hook?.(given)
    const timely = deadline === undefined ? hook : withDeadline(hook, deadline)
    if (records === undefined) return timely(given)
    return records.call(timely, hook.name === '' ? `function ${index}` : hook.name, given)
  }

  #add(result: unknown): void {
    const answer = checkedResult(result)
    if (answer === undefined) return
    this.#sum = this.#sum === undefined ? copy(answer) : merge(this.#sum, answer, this.#rule)
  }
}
