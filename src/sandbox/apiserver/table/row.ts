/** Cells shared by many kinds. */
import type { Instant, Json } from '../../../runtime/index.ts'
import type { ApiObject } from '../object.ts'
import { age } from './durations.ts'
import { annotation, size, text } from './reading.ts'

export type Cells = (object: ApiObject, now: Instant) => readonly Json[]

export function created(object: ApiObject, now: Instant): string {
  return age(object.metadata.creationTimestamp, now)
}

/** Name, the texts at dotted paths, and age. */
export const named =
  (...paths: readonly string[]): Cells =>
  (object, now) => [object.metadata.name, ...paths.map((path) => text(object, path)), created(object, now)]

/** Name, the total size of the fields at dotted paths, and age. */
export const counted =
  (...paths: readonly string[]): Cells =>
  (object, now) => [
    object.metadata.name,
    paths.reduce((sum, path) => sum + size(object, path), 0),
    created(object, now),
  ]

/** The name, marked as the default when the annotation is set. */
export function marked(object: ApiObject, mark: string): string {
  return annotation(object, mark) === 'true' ? `${object.metadata.name} (default)` : object.metadata.name
}
