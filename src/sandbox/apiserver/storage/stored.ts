/**
 * One version of one object as it is kept: the value, and its JSON text once somebody needed it. Text is made at most once per
 * version of the API and shared by every answer and watcher.
 */
import type { ApiObject } from '../object.ts'

export class Stored {
  readonly object: ApiObject
  readonly revision: number
  #text: string | undefined

  constructor(object: ApiObject, revision: number) {
    this.object = object
    this.revision = revision
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.object)
    return this.#text
  }
}
