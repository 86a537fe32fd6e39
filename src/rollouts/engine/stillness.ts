/**
 * Policies that need not be looked at again while their facts are the same. While a native controller replaces pods, dozens of changes come
 * by for every one that says something.
 */
export class Stillness {
  readonly #facts = new Map<string, readonly unknown[]>()

  /** Whether nothing was left to do when the facts were these very same. */
  holds(key: string, facts: readonly unknown[]): boolean {
    return this.#facts.get(key)?.every((fact, index) => fact === facts[index]) === true
  }

  note(key: string, facts: readonly unknown[]): void {
    this.#facts.set(key, facts)
  }

  forget(key: string): void {
    this.#facts.delete(key)
  }
}
