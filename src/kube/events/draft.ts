/** Builds an Event object that the server accepts: a valid name, fields within their limits, times with microseconds. */
import type { Random } from '../../runtime/index.ts'
import type { Event } from '../kinds/index.ts'
import { isObjectName, maxNameLength } from '../names.ts'
import { microTime } from '../time.ts'
import type { Series } from './correlator.ts'

const maxNoteBytes = 1_024
const maxFieldBytes = 128

export function draft(
  series: Series,
  reporter: { readonly controller: string; readonly instance: string },
  random: Random,
): Event {
  const { regarding, input } = series
  const action = input.action ?? input.reason
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: nameFor(regarding.name, random), namespace: regarding.namespace ?? 'default' },
    eventTime: microTime(series.since),
    reportingController: reporter.controller,
    reportingInstance: cut(reporter.instance, maxFieldBytes),
    type: input.type,
    reason: cut(input.reason, maxFieldBytes),
    action: cut(action, maxFieldBytes),
    note: cut(input.note, maxNoteBytes),
    regarding,
    ...(series.count > 1 && { series: { count: series.count, lastObservedTime: microTime(series.last) } }),
  }
}

/** The name of the object if it is valid, and 16 random digits. */
function nameFor(object: string, random: Random): string {
  const digits = Array.from(random.bytes(8), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const maxLength = maxNameLength - digits.length - 1
  return isObjectName(object) && object.length <= maxLength ? `${object}.${digits}` : `event.${digits}`
}

/** Cuts the text to this many bytes of UTF-8, without splitting a character. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text
  const encoded = new TextEncoder().encode(text)
  if (encoded.length <= bytes) return text
  let end = bytes
  while (((encoded[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return new TextDecoder().decode(encoded.subarray(0, end))
}
