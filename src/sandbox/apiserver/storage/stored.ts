/**
 * One version of one object as it is kept: the value, and its JSON text once somebody needed it. Kind and apiVersion are left out
 * of the text, so that lists (whose items do not repeat them) and other versions of the API share it.
 */
import type { ApiObject } from '../object.ts'

export class Stored {
  readonly object: ApiObject
  readonly revision: number
  #fields: string | undefined

  constructor(object: ApiObject, revision: number) {
    this.object = object
    this.revision = revision
  }

  get text(): string {
    return this.textAs(this.object.kind, this.object.apiVersion)
  }

  /** For versions that differ in nothing else. */
  textAs(kind: string, apiVersion: string): string {
    return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},${this.#rest()}`
  }

  /** As an item of a list of one built-in kind. */
  get item(): string {
    return `{${this.#rest()}`
  }

  #rest(): string {
    if (this.#fields === undefined) {
      const { kind: _kind, apiVersion: _apiVersion, ...fields } = this.object
      this.#fields = JSON.stringify(fields).slice(1)
    }
    return this.#fields
  }
}
