/**
 * Snapshots of bindings as JSON, built from blocks of objects when a run needs them. What was built for a block is kept until one of its
 * objects changes, so that a change costs one block. For full objects only the text around their bytes is built; the bytes are not copied
 * before they are written.
 */
import { append } from '../../../runtime/index.ts'
import type { KeyBlock } from '../watching/key-blocks.ts'
import type { SeenObject } from '../watching/monitor.ts'
import { type Piece, utf8 } from './json-pieces.ts'

/** The objects of a binding. */
export interface SnapshotSource {
  /** In order. A block whose objects have changed is another one. */
  readonly blocks: Iterable<KeyBlock>
  objectsOf(block: KeyBlock): Iterable<SeenObject>
}

const betweenWholes = utf8('},{"object":')

export class Snapshots {
  /** Of blocks that still are in use: a replaced one and the bytes of its objects are freed. */
  readonly #built = new WeakMap<KeyBlock, readonly Piece[]>()

  /** A JSON array of the source's current objects. */
  of(source: SnapshotSource): readonly Piece[] {
    const pieces: Piece[] = []
    for (const block of source.blocks) {
      const own = this.#of(block, source)
      if (own.length > 0) append(pieces, [pieces.length === 0 ? '[' : ','], own)
    }
    if (pieces.length === 0) return ['[]']
    pieces.push(']')
    return pieces
  }

  #of(block: KeyBlock, source: SnapshotSource): readonly Piece[] {
    const known = this.#built.get(block)
    if (known !== undefined) return known
    const built = elementsOf(source.objectsOf(block))
    this.#built.set(block, built)
    return built
  }
}

/** The elements of the objects, with commas between them. */
function elementsOf(objects: Iterable<SeenObject>): readonly Piece[] {
  const pieces: Piece[] = []
  let text = ''
  for (const seen of objects) {
    if (text !== '') text += ','
    if (seen.whole === undefined) text += `{${membersOf(seen).join('')}}`
    else {
      text += '{"object":'
      // The same bytes for all of them, where there is no filter.
      pieces.push(text === '},{"object":' ? betweenWholes : text, seen.whole)
      text = seen.result === undefined ? '}' : `,"filterResult":${seen.result}}`
    }
  }
  if (text !== '') pieces.push(utf8(text))
  return pieces
}

/** The fields of an object in a context element. */
export function membersOf({ whole, result }: SeenObject): readonly Piece[] {
  const members: Piece[] = []
  if (whole !== undefined) members.push('"object":', whole)
  if (result !== undefined) members.push(`${whole === undefined ? '' : ','}"filterResult":${result}`)
  return members
}
