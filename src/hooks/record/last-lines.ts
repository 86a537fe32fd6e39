/** The last lines of a text, bounded in characters. */
export class LastLines {
  readonly #limit: number
  readonly #lines: string[] = []
  #characters = 0

  /** Enough to see why a hook failed. */
  constructor(limit = 4_000) {
    this.#limit = limit
  }

  get text(): string {
    return this.#lines.join('\n').slice(-this.#limit)
  }

  add(line: string): void {
    this.#lines.push(line)
    this.#characters += line.length
    while (this.#lines.length > 1 && this.#characters - (this.#lines[0]?.length ?? 0) >= this.#limit)
      this.#characters -= this.#lines.shift()?.length ?? 0
  }
}
