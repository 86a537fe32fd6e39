/** The last lines of a run that prints for as long as it likes. */
import type { LogLine } from './log-line.ts'

export class LastLines {
  readonly #limit: number
  readonly #lines: LogLine[] = []
  #characters = 0

  /** Characters that are kept. The default is enough to see why a hook failed. */
  constructor(limit = 4_000) {
    this.#limit = limit
  }

  get lines(): readonly LogLine[] {
    return [...this.#lines]
  }

  get text(): string {
    return this.#lines
      .map(({ text }) => text)
      .join('\n')
      .slice(-this.#limit)
  }

  add(text: string, source = ''): void {
    this.#lines.push({ source, text })
    this.#characters += text.length
    while (this.#lines.length > 1 && this.#characters - (this.#lines[0]?.text.length ?? 0) >= this.#limit)
      this.#characters -= this.#lines.shift()?.text.length ?? 0
  }
}
