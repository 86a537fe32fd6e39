/** One line a run has printed, and the end of many. */
export interface LogLine {
  /** `stdout` or `stderr` of a process or function; the pod and container of an object. */
  readonly source: string
  readonly text: string
}

/** Enough for a stack trace, small enough to be kept for every run under way. */
const maxTailLength = 16 * 1024

/** The last lines of a run that prints for as long as it likes. */
export class LogTail {
  readonly #lines: LogLine[] = []
  #length = 0

  add(line: LogLine): void {
    this.#lines.push(line)
    this.#length += line.text.length
    while (this.#length > maxTailLength && this.#lines.length > 1) this.#length -= this.#lines.shift()?.text.length ?? 0
  }

  lines(): readonly LogLine[] {
    return [...this.#lines]
  }
}
