/** Checks what a function that is a hook has returned: a misspelled field would otherwise be a decision that was never made. */
import { isJsonObject } from '../../runtime/index.ts'
import type { HookResult } from './registry.ts'

/** Returns the result, undefined for one without an opinion; throws with a message that names the field. */
export function checkedResult(result: unknown): HookResult | undefined {
  if (result === undefined || result === null) return undefined
  const fields = fieldsOf(result, 'its result', ['abortReconcile', 'reconcileResult'])
  expectBoolean(fields['abortReconcile'], 'abortReconcile')
  const { reconcileResult } = fields
  if (reconcileResult === undefined || reconcileResult === null) return result as HookResult
  const { requeue, requeueAfterMs } = fieldsOf(reconcileResult, 'reconcileResult of its result', [
    'requeue',
    'requeueAfterMs',
  ])
  expectBoolean(requeue, 'reconcileResult.requeue')
  if (requeueAfterMs !== undefined && !Number.isFinite(requeueAfterMs))
    throw new Error(
      `reconcileResult.requeueAfterMs of its result is ${shown(requeueAfterMs)}, not a number of milliseconds`,
    )
  return result as HookResult
}

function fieldsOf(value: unknown, what: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw new Error(`${what} is ${shown(value)}, not an object`)
  const unknown = Object.keys(value).find((field) => !known.includes(field))
  if (unknown !== undefined)
    throw new Error(`${what} has the unknown field ${unknown}; known fields are ${known.join(', ')}`)
  return value
}

function expectBoolean(value: unknown, field: string): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw new Error(`${field} of its result is ${shown(value)}, not a boolean`)
}

/** Strings are not quoted, because a hook may return anything. */
function shown(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}
