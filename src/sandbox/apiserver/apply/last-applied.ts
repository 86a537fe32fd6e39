/**
 * The last-applied-configuration annotation of client-side apply. kubectl's server-side apply treats it as ownership
 * once and keeps it up to date, so that both ways of applying can be mixed.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { type ApiObject, at, withMetadata } from '../object.ts'
import { compare } from './compare.ts'
import type { FieldSet } from './field-set.ts'
import type { Structure } from './structure.ts'
import { toFieldSet } from './to-field-set.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** The fields of the annotation whose live value is unchanged. */
export function allowedByLastApplied(live: JsonObject, structure: Structure): FieldSet | undefined {
  const text = at(live, 'metadata', 'annotations', annotation)
  if (typeof text !== 'string' || text === '') return undefined
  let last: Json
  try {
    last = JSON.parse(text) as Json
  } catch {
    return undefined
  }
  if (!isJsonObject(last) || last['apiVersion'] !== live['apiVersion']) return undefined
  const { modified, added, removed } = compare(last, live, structure)
  return toFieldSet(last, structure).difference(modified).difference(added).difference(removed)
}

export function withLastApplied(object: ApiObject, applied: JsonObject): ApiObject {
  const annotations = object.metadata.annotations ?? {}
  if (!annotations[annotation]) return object
  const metadata = isJsonObject(applied['metadata']) ? applied['metadata'] : {}
  const given = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {}
  const { [annotation]: _own, ...others } = given
  const { annotations: _annotations, ...bare } = metadata
  const config: JsonObject = {
    ...applied,
    metadata: Object.keys(others).length === 0 ? bare : { ...bare, annotations: others },
  }
  return withMetadata(object, { annotations: { ...annotations, [annotation]: `${JSON.stringify(config)}\n` } })
}
