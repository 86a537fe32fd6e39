/**
 * One version of one object as it is kept. Its JSON text is made when somebody needs it and not kept: ten thousand objects would
 * weigh twice as much. Kind and apiVersion come first in it, and are left out where lists do not repeat them.
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

  /** As an item of a list of one built-in kind. */
  get item(): string {
    return itemOf(this.object)
  }
}

/** JSON with kind and apiVersion in front, as the real server writes objects. */
export function textOf(object: ApiObject): string {
  return `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},${itemOf(object).slice(1)}`
}

/** JSON without kind and apiVersion. */
export function itemOf(object: ApiObject): string {
  const { kind: _kind, apiVersion: _apiVersion, ...fields } = object
  return JSON.stringify(fields)
}
