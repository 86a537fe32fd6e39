/**
 * The objects of bindings as JSON, made when a run needs them and kept until something changes. Where bindings keep whole objects only the
 * frame around their bytes is made; those bytes are never copied before they are written.
 */
import type { Monitor, Seen } from '../watching/monitor.ts'
import type { Piece } from './pieces.ts'

export class Snapshots {
  readonly #texts = new WeakMap<Monitor, { readonly changes: number; readonly text: string }>()

  /** A JSON array of everything the monitor sees at this moment. */
  of(monitor: Monitor): readonly Piece[] {
    // To hold on to whole objects that are gone or changed would cost as much again as the objects.
    if (monitor.keepsObjects) return arrayOf(monitor)
    const known = this.#texts.get(monitor)
    if (known?.changes === monitor.changes) return [known.text]
    const text = arrayOf(monitor).join('')
    this.#texts.set(monitor, { changes: monitor.changes, text })
    return [text]
  }
}

function arrayOf(monitor: Monitor): readonly Piece[] {
  const pieces: Piece[] = []
  for (const seen of monitor.objects()) pieces.push(pieces.length === 0 ? '[{' : ',{', ...membersOf(seen), '}')
  return pieces.length === 0 ? ['[]'] : [...pieces, ']']
}

/** The members of an element that tell of an object. */
export function membersOf({ whole, result }: Seen): readonly Piece[] {
  const members: Piece[] = []
  if (whole !== undefined) members.push('"object":', whole)
  if (result !== undefined) members.push(`${whole === undefined ? '' : ','}"filterResult":${result}`)
  return members
}
