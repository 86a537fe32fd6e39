/**
 * Watch events as bytes. Everybody who follows a kind hears of a change in the same turn, so that the bytes of the latest change
 * are all that has to be kept to make them once for all.
 */
import type { JsonObject } from '../../../runtime/json.ts'
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
