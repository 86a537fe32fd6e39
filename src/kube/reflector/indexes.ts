/**
 * Which keys are found under which value of which index. Index functions are pure, so that what was entered can be taken out again
 * by asking them once more.
 */
export class Indexes<T> {
  readonly #functions: ReadonlyMap<string, (value: T) => readonly string[]>
  readonly #keys = new Map<string, Map<string, Set<string>>>()

  constructor(functions: Readonly<Record<string, (value: T) => readonly string[]>>) {
    this.#functions = new Map(Object.entries(functions))
    for (const name of this.#functions.keys()) this.#keys.set(name, new Map())
  }

  /** Keys in the order in which they came under `value`. */
  keys(index: string, value: string): Iterable<string> {
    const keys = this.#keys.get(index)
    if (keys === undefined)
      throw new Error(`no index "${index}"; there are: ${[...this.#keys.keys()].join(', ') || 'none'}`)
    return keys.get(value) ?? []
  }

  /** Moves a key from where `previous` stood to where `value` stands; undefined stands nowhere. */
  move(key: string, previous: T | undefined, value: T | undefined): void {
    for (const [name, valuesOf] of this.#functions) {
      const before = previous === undefined ? [] : valuesOf(previous)
      const after = value === undefined ? [] : valuesOf(value)
      const keys = this.#keys.get(name)
      if (keys === undefined) continue
      for (const entry of before) {
        if (after.includes(entry)) continue
        const found = keys.get(entry)
        found?.delete(key)
        if (found?.size === 0) keys.delete(entry)
      }
      for (const entry of after) {
        const found = keys.get(entry)
        if (found === undefined) keys.set(entry, new Set([key]))
        else found.add(key)
      }
    }
  }
}
