/**
 * Values that an item exports: read from objects on the target by JSON path, or from the values a chart was rendered with. Reads once; the
 * caller retries missing values until the timeout of each export.
 */
import { CarabinerError, isJsonObject, type Json, smallest } from '../../runtime/index.ts'
import { describeReference, type ResourceReference } from '../apply/managed.ts'
import { type ReadScope, readObject } from '../apply/read.ts'
import { StepBudget } from '../jsonpath/budget.ts'
import type { JsonPath } from '../jsonpath/path.ts'
import { LandscaperError } from '../library/errors.ts'
import { nested } from './keys.ts'

export interface Export {
  /** A name, or a path such as `database.host`. */
  readonly key: string
  readonly path: JsonPath
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Undefined to read from the values a chart was rendered with. */
  readonly from: Omit<ResourceReference, 'uid'> | undefined
  /** The value found is a reference to another object, and the export is read from that object. */
  readonly reference: { readonly apiVersion: string; readonly kind: string; readonly path: JsonPath } | undefined
}

export type Values = Readonly<Record<string, Json>>

export interface Collected {
  readonly values: Values
  readonly missing: readonly { readonly export: Export; readonly why: string }[]
}

export async function collectExports(scope: ReadScope, exports: readonly Export[], rendered: Json): Promise<Collected> {
  const budget = new StepBudget()
  const results = await Promise.all(
    exports.map(async (one) => ({ one, found: await readExport(scope, one, { rendered, budget }) })),
  )
  return {
    values: nested(
      results.flatMap(({ one, found }) => (typeof found === 'string' ? [] : [{ key: one.key, value: found.value }])),
    ),
    missing: results.flatMap(({ one, found }) => (typeof found === 'string' ? [{ export: one, why: found }] : [])),
  }
}

/** Throws when the timeout of a missing export is over; returns the milliseconds until the next timeout. */
export function exportTimeLeft(missing: Collected['missing'], waited: number): number {
  const timedOut = missing.filter((one) => waited >= one.export.timeoutMs)
  const [first] = timedOut
  if (first !== undefined) {
    const problems = timedOut.map(({ export: { key }, why }) => `export "${key}": ${why}`).join('; ')
    const seconds = Math.round(first.export.timeoutMs / 1000)
    throw new LandscaperError('ReadExports', 'ExportTimeout', `no value within ${seconds} s: ${problems}`, {
      codes: ['ERR_TIMEOUT'],
    })
  }
  return smallest(missing.map((one) => one.export.timeoutMs - waited))
}

/** The value, or why it is missing. */
async function readExport(
  scope: ReadScope,
  { path, from, reference }: Export,
  { rendered, budget }: { readonly rendered: Json; readonly budget: StepBudget },
): Promise<{ readonly value: Json } | string> {
  try {
    if (from === undefined) return valueAt(path, rendered, 'the values', budget)
    const object = await readObject(scope, from)
    if (object === undefined) return `${describeReference(from)} does not exist`
    const value = valueAt(path, object as unknown as Json, describeReference(from), budget)
    if (reference === undefined || typeof value === 'string') return value
    const { value: to } = value
    if (!isJsonObject(to) || typeof to['name'] !== 'string') return `${path.text} is not a reference with a name`
    const namespace = typeof to['namespace'] === 'string' ? to['namespace'] : from.namespace
    const { apiVersion, kind } = reference
    const referred = { apiVersion, kind, name: to['name'], namespace }
    const second = await readObject(scope, referred)
    if (second === undefined) return `${describeReference(referred)} does not exist`
    return valueAt(reference.path, second as unknown as Json, describeReference(referred), budget)
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'CRB_JSONPATH_MISMATCH') return error.message
    throw error
  }
}

/** Several values become a list, as in kubectl. */
function valueAt(path: JsonPath, document: Json, what: string, budget: StepBudget): { readonly value: Json } | string {
  const found = path.find(document, budget)
  const [first] = found
  if (first === undefined) return `${path.text} is absent in ${what}`
  return { value: found.length === 1 ? first : found }
}
