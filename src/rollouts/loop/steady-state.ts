/**
 * Policies that need not be looked at again while their facts are the same. While a native controller replaces pods, dozens of changes come
 * by for every one that says something.
 */
import type { Instant } from '../../runtime/clock.ts'

export class Stillness {
  readonly #noted = new Map<string, { readonly facts: readonly unknown[]; readonly until: Instant }>()

  /** Until when nothing is left to do, if nothing was when the facts were these very same. */
  lasts(key: string, facts: readonly unknown[], now: Instant): Instant | undefined {
    const noted = this.#noted.get(key)
    if (noted === undefined || now >= noted.until || noted.facts.length !== facts.length) return undefined
    return noted.facts.every((fact, index) => fact === facts[index]) ? noted.until : undefined
  }

  /** `until` is when time alone changes what is to be done. @default never */
  note(key: string, facts: readonly unknown[], until: Instant = Infinity): void {
    this.#noted.set(key, { facts, until })
  }

  forget(key: string): void {
    this.#noted.delete(key)
  }
}
