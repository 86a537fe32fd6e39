/**
 * Policies that need not be decided about while the facts are the same. While a native controller replaces pods, most changes of objects have no
 * influence on the decision.
 */
import type { Instant } from '../../runtime/index.ts'

export class SteadyState {
  readonly #recorded = new Map<string, { readonly facts: readonly unknown[]; readonly until: Instant }>()

  /** Until when nothing is left to do, if nothing was left to do with these very facts. */
  unchangedUntil(key: string, facts: readonly unknown[], now: Instant): Instant | undefined {
    const recorded = this.#recorded.get(key)
    if (recorded === undefined || now >= recorded.until || recorded.facts.length !== facts.length) return undefined
    return recorded.facts.every((fact, index) => fact === facts[index]) ? recorded.until : undefined
  }

  /** `until` is when time alone changes the decision. @default never */
  record(key: string, facts: readonly unknown[], until: Instant = Infinity): void {
    this.#recorded.set(key, { facts, until })
  }

  forget(key: string): void {
    this.#recorded.delete(key)
  }
}
