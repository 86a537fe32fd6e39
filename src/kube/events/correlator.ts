/**
 * Limits the writes of events as client-go does: a repeated event increases the count of the existing one, many similar events become one
 * series, and an object with too many events is rate-limited.
 */

import type { ObjectReference } from '../kinds/index.ts'
import type { EventInput } from './event.ts'

/** One Event object on the server with its count. */
export interface Series {
  readonly regarding: ObjectReference
  readonly input: EventInput
  readonly since: number
  /** The name of the Event object, once it is written. */
  name: string | undefined
  count: number
  last: number
}

/** After this time a repeated event starts a new series. */
const seriesWindowMs = 600_000
/** Events with different notes for one reason before they become one series. */
const maxSimilarEvents = 10
/** Events of one object at once, and the time until it may have one more. */
const burstPerObject = 25
const refillMs = 300_000
/** Objects, groups and series that are remembered; the oldest are forgotten first. */
const maxRemembered = 4_096

export class Correlator {
  readonly #budgets = new Map<string, { tokens: number; at: number }>()
  readonly #groups = new Map<string, { readonly notes: Set<string>; last: number }>()
  readonly #series = new Map<string, Series>()

  /** Returns the series of the event, new or with its count increased; undefined when the object has too many events. */
  correlate(regarding: ObjectReference, input: EventInput, now: number): Series | undefined {
    const object = [regarding.apiVersion, regarding.kind, regarding.namespace, regarding.name, regarding.uid].join('/')
    if (!this.#spend(object, now)) return undefined
    const similar = [object, input.type, input.reason, input.action].join('\n')
    const combined = this.#isOneOfMany(similar, input.note, now)
    const key = combined ? similar : `${similar}\n${input.note}`
    const known = this.#series.get(key)
    if (known !== undefined && now - known.last < seriesWindowMs) {
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
    const budget = this.#budgets.get(object) ?? { tokens: burstPerObject, at: now }
    const tokens = Math.min(burstPerObject, budget.tokens + (now - budget.at) / refillMs)
    remember(this.#budgets, object, { tokens: tokens < 1 ? tokens : tokens - 1, at: now })
    return tokens >= 1
  }

  #isOneOfMany(similar: string, note: string, now: number): boolean {
    const known = this.#groups.get(similar)
    const group =
      known === undefined || now - known.last >= seriesWindowMs ? { notes: new Set<string>(), last: now } : known
    group.last = now
    // The set only has to show that there are too many.
    if (group.notes.size <= maxSimilarEvents) group.notes.add(note)
    remember(this.#groups, similar, group)
    return group.notes.size > maxSimilarEvents
  }
}

function remember<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= maxRemembered) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return
  }
}
