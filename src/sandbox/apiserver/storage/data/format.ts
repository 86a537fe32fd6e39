/**
 * The content of a data file: a header, every object of the snapshot, and one line for each group of later changes. The first part is complete
 * before the file gets its name.
 */
import type { Json, JsonObject } from '../../../../runtime/index.ts'
import type { ApiObject } from '../../object.ts'
import type { Change } from '../history.ts'
import type { StoreState } from '../store.ts'
import { Stored } from '../stored.ts'
import { DamagedLineError, decodeLines } from './lines.ts'

const format = 'carabiner sandbox'
/** Increased when older versions of the program could not read the file. */
const version = 1

export interface SavedData {
  /** What the program keeps beside the objects: keys, tokens, the port. */
  readonly settings: JsonObject
  readonly state: StoreState
}

/** A change of one object: without one, its deletion. */
export interface ObjectChange {
  readonly collection: string
  readonly key: string
  readonly revision: number
  readonly object: ApiObject | undefined
}

export function objectChange(collection: string, { key, revision, current }: Change): ObjectChange {
  return { collection, key, revision, object: current?.object }
}

/** `reservedRevision`: no greater resourceVersion was given to any client while this was the newest line. */
export interface Header {
  readonly settings: JsonObject
  readonly reservedRevision: number
  readonly objects: number
}

export class UnknownVersionError extends Error {}

export function headerLine(header: Header): Json {
  return { format, version, ...header } as unknown as Json
}

export function objectLine({ collection, key, revision, object }: ObjectChange): Json {
  return [collection, key, revision, object ?? null]
}

export function changesLine(changes: readonly ObjectChange[], reservedRevision: number): Json {
  return { reservedRevision, changes: changes.map(objectLine) }
}

/** Throws a `DamagedLineError` or an `UnknownVersionError`. */
export function readData(bytes: Uint8Array): SavedData {
  const lines = decodeLines(bytes)
  const header = headerOf(lines.next().value)
  const collections = new Map<string, Map<string, Stored>>()
  const apply = ([collection, key, revision, object]: SavedChange) => {
    const objects = collections.get(collection) ?? new Map<string, Stored>()
    collections.set(collection, objects)
    if (object === null) objects.delete(key)
    else objects.set(key, new Stored(object, revision))
  }
  let missing = header.objects
  let revision = header.reservedRevision
  for (const line of lines) {
    if (missing > 0) {
      apply(line as unknown as SavedChange)
      missing--
    } else {
      const { changes, reservedRevision } = line as unknown as ChangesLine
      for (const change of changes) apply(change)
      revision = reservedRevision
    }
  }
  if (missing > 0) throw new DamagedLineError(`${missing} of ${header.objects} objects are missing at its end`)
  const state = new Map(Array.from(collections, ([name, objects]) => [name, [...objects]] as const))
  return { settings: header.settings, state: { revision, collections: state } }
}

type SavedChange = readonly [collection: string, key: string, revision: number, object: ApiObject | null]

interface ChangesLine {
  readonly changes: readonly SavedChange[]
  readonly reservedRevision: number
}

function headerOf(line: Json | undefined): Header {
  const header = line as unknown as (Header & { readonly format?: string; readonly version?: number }) | undefined
  if (header?.format !== format) throw new DamagedLineError('its first line is not that of a data file')
  if (header.version !== version)
    throw new UnknownVersionError(`it has version ${header.version}, and this program reads version ${version}`)
  return header
}
