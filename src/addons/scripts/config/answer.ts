/** Collects the output of a hook that runs with --config: standard output is the configuration, standard error goes to the log. */

import { eachLine, type OutputStream } from '../../../hooks/index.ts'
import type { Logger, ProgramOutput } from '../../../runtime/index.ts'

const maxConfigChars = 1_000_000

/** The whole configuration may be one line. */
export const maxLineLength = maxConfigChars + 1

/** Lines of standard error that are quoted with a failure. */
const maxErrorLines = 5

export class ConfigOutput {
  readonly #log: () => Logger
  readonly #printed: string[] = []
  readonly #errorLines: string[] = []
  #size = 0
  #failure: string | undefined

  /** `log` is called with the first line of standard error; most hooks print none. */
  constructor(log: () => Logger) {
    this.#log = log
  }

  get text(): string {
    return this.#printed.join('\n')
  }

  /** Why the output is not a configuration. */
  get problem(): string | undefined {
    const errorLines = this.#errorLines
    if (this.#failure !== undefined)
      return [`--config ${this.#failure}`, ...errorLines].join(errorLines.length > 0 ? '\n    ' : '')
    return this.#size > maxConfigChars ? `--config printed more than ${maxConfigChars} characters` : undefined
  }

  take(stream: OutputStream, text: string): void {
    if (stream === 'stdout') {
      this.#size += text.length
      if (this.#size <= maxConfigChars) this.#printed.push(text)
    } else {
      this.#log().info(text, { output: stream })
      this.#errorLines.push(text)
      if (this.#errorLines.length > maxErrorLines) this.#errorLines.shift()
    }
  }

  /** Takes the complete output of a successful run. */
  async takeAll(printed: ProgramOutput): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const)
      await eachLine([printed[stream]], (text) => this.take(stream, text), maxLineLength)
  }

  /** `failure` is the reason why the run failed. */
  end(failure: string | undefined): void {
    this.#failure = failure
  }
}
