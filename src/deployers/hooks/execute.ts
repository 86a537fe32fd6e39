/**
 * Runs the hooks of one point in the order of their registration. Hooks that answer at once are not waited for, so that a point costs
 * next to nothing; the first that fails ends the point and everything the others said is dropped.
 */
import { type Aggregated, copy, isInverted, merge } from './aggregate.ts'
import {
  type HookArguments,
  type HookResult,
  type HookType,
  hookTypes,
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
      answer = registered[index]?.(given as HookArguments)
    } catch (error) {
      throw new HookError(type, index, error)
    }
    if (answer instanceof Promise) return finish(hooks, given, index, answer, sum)
    sum = add(sum, answer, inverted)
  }
  return sum
}

/** Goes on from a hook that has to be waited for. */
async function finish<T extends HookType>(
  hooks: ReconcileExtensionHooks,
  given: HookArguments<T>,
  from: number,
  pending: Promise<HookResult | null | undefined>,
  before: Aggregated | undefined,
): Promise<Aggregated | undefined> {
  const registered = hooks.get(given.type)
  const inverted = isInverted(given.type)
  let sum = before
  for (let index = from; index < registered.length; index += 1) {
    try {
      sum = add(sum, await (index === from ? pending : registered[index]?.(given as HookArguments)), inverted)
    } catch (error) {
      throw new HookError(given.type, index, error)
    }
  }
  return sum
}

function add(
  sum: Aggregated | undefined,
  answer: HookResult | null | undefined,
  inverted: boolean,
): Aggregated | undefined {
  if (answer === undefined || answer === null) return sum
  return sum === undefined ? copy(answer) : merge(sum, answer, inverted)
}
