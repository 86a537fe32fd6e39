/**
 * One stored version of an object. Its JSON text is computed on demand, because caching it would double the memory of
 * ten thousand objects. Kind and apiVersion come first, and are omitted in lists that do not repeat them.
 */
import type { ApiObject } from '../object.ts'

export class Stored {
  readonly object: ApiObject
  readonly revision: number

  constructor(object: ApiObject, revision: number) {
    this.object = object
    this.revision = revision
  }

  get text(): string {
    return textOf(this.object)
  }

  /** The text of an item in a list of a built-in kind. */
  get item(): string {
    return itemOf(this.object)
  }
}

/** JSON that starts with kind and apiVersion, as the real API server writes objects. */
export function textOf(object: ApiObject): string {
  return `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},${itemOf(object).slice(1)}`
}

/** JSON without kind and apiVersion. */
export function itemOf(object: ApiObject): string {
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = object
  return JSON.stringify(fields)
}
