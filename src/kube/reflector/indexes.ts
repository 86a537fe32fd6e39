/**
 * The indexes of a cache: keys by index and value. Index functions are pure, so that the entries of a value can be removed by calling them again.
 */
export type IndexFunctions<T> = Readonly<Record<string, (value: T) => readonly string[]>>

export class Indexes<T> {
  readonly #functions: ReadonlyMap<string, (value: T) => readonly string[]>
  readonly #failed: (index: string, error: unknown) => void
  /** A string instead of a Set where there is one key, which is the common case and needs less memory. */
  readonly #keys = new Map<string, Map<string, string | Set<string>>>()

  /** A value whose index function throws is reported to `failed` and not indexed. */
  constructor(functions: IndexFunctions<T>, failed: (index: string, error: unknown) => void) {
    this.#failed = failed
    this.#functions = new Map(Object.entries(functions))
    for (const name of this.#functions.keys()) this.#keys.set(name, new Map())
  }

  /** Keys in the order in which they were added under `value`. */
  keys(index: string, value: string): Iterable<string> {
    const keys = this.#keys.get(index)
    if (keys === undefined)
      throw new Error(`no index "${index}"; there are: ${[...this.#keys.keys()].join(', ') || 'none'}`)
    const found = keys.get(value) ?? []
    return typeof found === 'string' ? [found] : found
  }

  /** Moves a key from the entries of `previous` to those of `value`; undefined has none. */
  move(key: string, previous: T | undefined, value: T | undefined): void {
    for (const name of this.#functions.keys()) {
      const before = this.#valuesOf(name, previous)
      const after = this.#valuesOf(name, value)
      const keys = this.#keys.get(name)
      if (keys === undefined) continue
      for (const entry of before) {
        if (after.includes(entry)) continue
        const found = keys.get(entry)
        if (found === key) keys.delete(entry)
        else if (found instanceof Set && found.delete(key) && found.size === 0) keys.delete(entry)
      }
      for (const entry of after) {
        const found = keys.get(entry)
        if (found === undefined) keys.set(entry, key)
        else if (typeof found !== 'string') found.add(key)
        else if (found !== key) keys.set(entry, new Set([found, key]))
      }
    }
  }
  #valuesOf(name: string, value: T | undefined): readonly string[] {
    if (value === undefined) return []
    try {
      return this.#functions.get(name)?.(value) ?? []
    } catch (error) {
      this.#failed(name, error)
      return []
    }
  }
}
