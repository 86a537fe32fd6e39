/** Draws lines in place: goes back to its own beginning and draws again. The cursor cannot go back beyond the first line of a terminal. */
import type { Output } from '../context.ts'
import { legible } from './symbols.ts'
import { cut } from './width.ts'

/** The last lines say what to do next: they stay when a picture is too high. */
const footLines = 4

export class Picture {
  readonly #output: Output
  #lines = 0

  constructor(output: Output) {
    this.#output = output
  }

  draw(all: readonly string[]): void {
    const { columns, rows = Number.POSITIVE_INFINITY } = this.#output
    const most = Math.max(1, rows - 1)
    const lines = shortened(all, most)
    const back = this.#lines === 0 ? '' : `\x1b[${this.#lines}A\r`
    // A line that is too long would wrap and spoil the count of lines.
    const body = lines.map((line) => `${cut(legible(line, this.#output), columns - 1)}\x1b[K\n`).join('')
    this.#output.write(`${back}${body}\x1b[J`)
    this.#lines = lines.length
  }

  /** What is drawn stays; the next picture is drawn below. */
  keep(): void {
    this.#lines = 0
    this.#output.write('\n')
  }
}

function shortened(all: readonly string[], most: number): readonly string[] {
  if (all.length <= most) return all
  const foot = Math.min(footLines, Math.floor(most / 3))
  const head = most - foot - 1
  return [...all.slice(0, head), `… ${all.length - head - foot} more lines`, ...all.slice(all.length - foot)]
}
