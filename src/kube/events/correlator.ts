/**
 * Keeps a flood of events from becoming a flood of writes, in the way people know from kubectl: the same thing again is counted on the
 * event that is there, many variations of one thing are told as one, and an object that keeps chattering is cut off.
 */

import type { ObjectReference } from '../kinds/index.ts'
import type { EventInput } from './event.ts'

/** One event object on the server and how often it happened. */
export interface Series {
  readonly regarding: ObjectReference
  readonly input: EventInput
  readonly since: number
  /** Of the event object, once it is written. */
  name: string | undefined
  count: number
  last: number
}

/** Milliseconds after which the same thing is news again. */
const window = 600_000
/** Different notes for one reason that are told one by one. */
const variations = 10
/** Events an object may cause at once, and milliseconds until it may cause one more. */
const burst = 25
const refill = 300_000
/** Objects, groups and series remembered; the oldest are forgotten first. */
const remembered = 4_096

export class Correlator {
  readonly #budgets = new Map<string, { tokens: number; at: number }>()
  readonly #groups = new Map<string, { readonly notes: Set<string>; last: number }>()
  readonly #series = new Map<string, Series>()

  /** The series this belongs to, new or counted up; undefined when the object has caused too many. */
  correlate(regarding: ObjectReference, input: EventInput, now: number): Series | undefined {
    const object = [regarding.apiVersion, regarding.kind, regarding.namespace, regarding.name, regarding.uid].join('/')
    if (!this.#spend(object, now)) return undefined
    const similar = [object, input.type, input.reason, input.action].join('\n')
    const combined = this.#isOneOfMany(similar, input.note, now)
    const key = combined ? similar : `${similar}\n${input.note}`
    const known = this.#series.get(key)
    if (known !== undefined && now - known.last < window) {
      known.count++
      known.last = now
      return known
    }
    const note = combined ? `(combined from similar events): ${input.note}` : input.note
    const series = { regarding, input: { ...input, note }, since: now, name: undefined, count: 1, last: now }
    remember(this.#series, key, series)
    return series
  }

  #spend(object: string, now: number): boolean {
    const budget = this.#budgets.get(object) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, budget.tokens + (now - budget.at) / refill)
    remember(this.#budgets, object, { tokens: tokens < 1 ? tokens : tokens - 1, at: now })
    return tokens >= 1
  }

  #isOneOfMany(similar: string, note: string, now: number): boolean {
    const known = this.#groups.get(similar)
    const group = known === undefined || now - known.last >= window ? { notes: new Set<string>(), last: now } : known
    group.last = now
    // The set needs no more than it takes to know that there are too many.
    if (group.notes.size <= variations) group.notes.add(note)
    remember(this.#groups, similar, group)
    return group.notes.size > variations
  }
}

function remember<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= remembered) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}
