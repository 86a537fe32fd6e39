/**
 * Snapshots of bindings as JSON, built when a run needs them and cached until the objects change. For bindings with full objects only the
 * text around their bytes is built; the bytes are not copied before they are written.
 */
import { append } from '../../../runtime/index.ts'
import type { SeenObject } from '../watching/monitor.ts'
import type { Piece } from './json-pieces.ts'

/** The objects of a binding. */
export interface SnapshotSource {
  /** Whether full objects are kept in memory. */
  readonly keepsObjects: boolean
  /** Increases with every change. */
  readonly changes: number
  /** Ordered by key. */
  objects(): Iterable<SeenObject>
}

export class Snapshots {
  readonly #texts = new WeakMap<SnapshotSource, { readonly changes: number; readonly text: string }>()

  /** A JSON array of the source's current objects. */
  of(source: SnapshotSource): readonly Piece[] {
    // Not cached: the cache would keep the bytes of deleted and changed objects in memory.
    if (source.keepsObjects) return arrayOf(source)
    const known = this.#texts.get(source)
    if (known?.changes === source.changes) return [known.text]
    const text = arrayOf(source).join('')
    this.#texts.set(source, { changes: source.changes, text })
    return [text]
  }
}

function arrayOf(source: SnapshotSource): readonly Piece[] {
  const pieces: Piece[] = []
  for (const seen of source.objects()) append(pieces, [pieces.length === 0 ? '[{' : ',{'], membersOf(seen), ['}'])
  return pieces.length === 0 ? ['[]'] : [...pieces, ']']
}

/** The fields of an object in a context element. */
export function membersOf({ whole, result }: SeenObject): readonly Piece[] {
  const members: Piece[] = []
  if (whole !== undefined) members.push('"object":', whole)
  if (result !== undefined) members.push(`${whole === undefined ? '' : ','}"filterResult":${result}`)
  return members
}
