/**
 * The objects of bindings as JSON, made when a run needs them and kept until something changes. Where bindings keep whole objects only the
 * frame around their bytes is made; those bytes are never copied before they are written.
 */
import type { Seen } from '../watching/monitor.ts'
import type { Piece } from './pieces.ts'

/** What a snapshot is made of. */
export interface SnapshotSource {
  /** Whether objects are kept whole. */
  readonly keepsObjects: boolean
  /** Grows with every change. */
  readonly changes: number
  /** In order. */
  objects(): Iterable<Seen>
}

export class Snapshots {
  readonly #texts = new WeakMap<SnapshotSource, { readonly changes: number; readonly text: string }>()

  /** A JSON array of everything the source has at this moment. */
  of(source: SnapshotSource): readonly Piece[] {
    // To hold on to whole objects that are gone or changed would cost as much again as the objects.
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
  for (const seen of source.objects()) pieces.push(pieces.length === 0 ? '[{' : ',{', ...membersOf(seen), '}')
  return pieces.length === 0 ? ['[]'] : [...pieces, ']']
}

/** The members of an element that tell of an object. */
export function membersOf({ whole, result }: Seen): readonly Piece[] {
  const members: Piece[] = []
  if (whole !== undefined) members.push('"object":', whole)
  if (result !== undefined) members.push(`${whole === undefined ? '' : ','}"filterResult":${result}`)
  return members
}
