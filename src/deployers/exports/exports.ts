/**
 * Values that an item hands on: read from objects of the target by JSON path, or from what a chart was rendered with. Looks once; what is
 * not there yet is asked for again later, each value until its own time is over.
 */
import { CarabinerError } from '../../runtime/errors.ts'
import { isJsonObject, type Json } from '../../runtime/json.ts'
import { describeReference, type ResourceReference } from '../apply/managed.ts'
import { type ReadPlace, readObject } from '../apply/read.ts'
import type { JsonPath } from '../jsonpath/path.ts'
import { LandscaperError } from '../library/errors.ts'
import { nested } from './keys.ts'

export interface Export {
  /** A name, or a path such as `database.host`. */
  readonly key: string
  readonly path: JsonPath
  /** Milliseconds. */
  readonly timeout: number
  /** Undefined: the values a chart was rendered with. */
  readonly from: Omit<ResourceReference, 'uid'> | undefined
  /** The value found is a reference; what is exported is read from the object it refers to. */
  readonly reference: { readonly apiVersion: string; readonly kind: string; readonly path: JsonPath } | undefined
}

export type Values = Readonly<Record<string, Json>>

export interface Collected {
  readonly values: Values
  readonly missing: readonly { readonly export: Export; readonly why: string }[]
}

export async function collectExports(place: ReadPlace, exports: readonly Export[], rendered: Json): Promise<Collected> {
  const looked = await Promise.all(exports.map(async (one) => ({ one, found: await look(place, one, rendered) })))
  return {
    values: nested(
      looked.flatMap(({ one, found }) => (typeof found === 'string' ? [] : [{ key: one.key, value: found.value }])),
    ),
    missing: looked.flatMap(({ one, found }) => (typeof found === 'string' ? [{ export: one, why: found }] : [])),
  }
}

/** Throws when one of them had time enough; gives the milliseconds until the next one has. */
export function exportTimeLeft(missing: Collected['missing'], waited: number): number {
  const late = missing.filter((one) => waited >= one.export.timeout)
  const [first] = late
  if (first !== undefined) {
    const all = late.map(({ export: { key }, why }) => `export "${key}": ${why}`).join('; ')
    const seconds = Math.round(first.export.timeout / 1000)
    throw new LandscaperError('ReadExports', 'ExportTimeout', `no value within ${seconds} s: ${all}`, {
      codes: ['ERR_TIMEOUT'],
    })
  }
  return Math.min(...missing.map((one) => one.export.timeout - waited))
}

/** The value, or why there is none. */
async function look(
  place: ReadPlace,
  { path, from, reference }: Export,
  rendered: Json,
): Promise<{ readonly value: Json } | string> {
  try {
    if (from === undefined) return single(path, rendered, 'the values')
    const object = await readObject(place, from)
    if (object === undefined) return `${describeReference(from)} is not there`
    const value = single(path, object as unknown as Json, describeReference(from))
    if (reference === undefined || typeof value === 'string') return value
    const { value: to } = value
    if (!isJsonObject(to) || typeof to['name'] !== 'string') return `${path.text} is no reference with a name`
    const namespace = typeof to['namespace'] === 'string' ? to['namespace'] : from.namespace
    const { apiVersion, kind } = reference
    const referred = { apiVersion, kind, name: to['name'], namespace }
    const second = await readObject(place, referred)
    if (second === undefined) return `${describeReference(referred)} is not there`
    return single(reference.path, second as unknown as Json, describeReference(referred))
  } catch (error) {
    if (error instanceof CarabinerError && error.code === 'CRB_JSONPATH_MISMATCH') return error.message
    throw error
  }
}

/** Several values become a list, as with kubectl. */
function single(path: JsonPath, document: Json, what: string): { readonly value: Json } | string {
  const found = path.find(document)
  const [first] = found
  if (first === undefined) return `${path.text} is absent in ${what}`
  return { value: found.length === 1 ? first : found }
}
