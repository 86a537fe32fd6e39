/**
 * Watch events as bytes, made once per change and shared by everyone who follows it.
 */
import type { JsonObject } from '../../../runtime/json.ts'
import type { Stored } from '../storage/stored.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

const encoder = new TextEncoder()

export class EventEncoder {
  readonly #known = new WeakMap<Stored, Partial<Record<EventType, Uint8Array>>>()

  encode(type: EventType, stored: Stored): Uint8Array {
    let byType = this.#known.get(stored)
    if (byType === undefined) {
      byType = {}
      this.#known.set(stored, byType)
    }
    const bytes = byType[type] ?? encoder.encode(`{"type":"${type}","object":${stored.text}}\n`)
    byType[type] = bytes
    return bytes
  }
}

export function encodeEvent(type: string, object: JsonObject): Uint8Array {
  return encoder.encode(`${JSON.stringify({ type, object })}\n`)
}
