/**
 * Runs the hooks of one point in the order of their registration. Hooks that answer at once are not waited for, so that a point costs
 * next to nothing; the first that fails ends the point and everything the others said is dropped.
 */
import { type Aggregated, copy, isInverted, merge } from './aggregate.ts'
import type { HookRecords } from './records.ts'
import {
  type HookArguments,
  type HookResult,
  type HookType,
  hookTypes,
  type ReconcileExtensionHook,
  type ReconcileExtensionHooks,
} from './registry.ts'

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

/** Undefined when nobody said anything. A promise only when a hook returned one. */
export function executeHooks<T extends HookType>(
  hooks: ReconcileExtensionHooks,
  given: HookArguments<T>,
  records?: HookRecords,
): Aggregated | undefined | Promise<Aggregated | undefined> {
  const { type } = given
  const registered = hooks.get(type)
  if (registered.length === 0) {
    if (!hookTypes.includes(type)) throw new Error(`unknown hook type "${String(type)}"`)
    return undefined
  }
  const inverted = isInverted(type)
  let sum: Aggregated | undefined
  for (let index = 0; index < registered.length; index += 1) {
    let answer: ReturnType<(typeof registered)[number]>
    try {
      answer = call(registered[index], index, given as HookArguments, records)
    } catch (error) {
      throw new HookError(type, index, error)
    }
    if (answer instanceof Promise) return finish({ hooks, given, records }, index, answer, sum)
    sum = add(sum, answer, inverted)
  }
  return sum
}

interface Executed<T extends HookType> {
  readonly hooks: ReconcileExtensionHooks
  readonly given: HookArguments<T>
  readonly records: HookRecords | undefined
}

/** Goes on from a hook that has to be waited for. */
async function finish<T extends HookType>(
  { hooks, given, records }: Executed<T>,
  from: number,
  pending: Promise<HookResult | null | undefined>,
  before: Aggregated | undefined,
): Promise<Aggregated | undefined> {
  const registered = hooks.get(given.type)
  const inverted = isInverted(given.type)
  let sum = before
  for (let index = from; index < registered.length; index += 1) {
    try {
      sum = add(
        sum,
        await (index === from ? pending : call(registered[index], index, given as HookArguments, records)),
        inverted,
      )
    } catch (error) {
      throw new HookError(given.type, index, error)
    }
  }
  return sum
}

const recordingHooks = new WeakSet<ReconcileExtensionHook>()

/** Marks a hook whose runs are recorded where they are carried out. */
export function recordsItself(hook: ReconcileExtensionHook): ReconcileExtensionHook {
  recordingHooks.add(hook)
  return hook
}

function call(
  hook: ReconcileExtensionHook | undefined,
  index: number,
  given: HookArguments,
  records: HookRecords | undefined,
): ReturnType<ReconcileExtensionHook> {
  if (hook === undefined || records === undefined || recordingHooks.has(hook)) return hook?.(given)
  return records.call(hook, hook.name === '' ? `function ${index}` : hook.name, given)
}

function add(
  sum: Aggregated | undefined,
  answer: HookResult | null | undefined,
  inverted: boolean,
): Aggregated | undefined {
  if (answer === undefined || answer === null) return sum
  return sum === undefined ? copy(answer) : merge(sum, answer, inverted)
}
