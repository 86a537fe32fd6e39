/**
 * Encodes watch events. All watches of a kind receive a change in the same turn, so caching the latest event is enough
 * to encode each one once.
 */
import type { JsonObject } from '../../../runtime/index.ts'
import type { Stored } from '../storage/stored.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

const encoder = new TextEncoder()

export class EventEncoder {
  #latest: { readonly stored: Stored; readonly type: EventType; readonly bytes: Uint8Array } | undefined

  encode(type: EventType, stored: Stored): Uint8Array {
    const latest = this.#latest
    if (latest?.stored === stored && latest.type === type) return latest.bytes
    const bytes = encoder.encode(`{"type":"${type}","object":${stored.text}}\n`)
    this.#latest = { stored, type, bytes }
    return bytes
  }
}

export function encodeEvent(type: string, object: JsonObject): Uint8Array {
  return encoder.encode(`${JSON.stringify({ type, object })}\n`)
}
