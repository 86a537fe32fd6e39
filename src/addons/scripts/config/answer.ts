/**
 * What a hook prints when it is asked for its configuration: standard output is the configuration, standard error goes to the log. How it was
 * asked is not known here.
 */

import { eachLine, type OutputStream } from '../../../hooks/index.ts'
import type { Logger } from '../../../runtime/log.ts'
import type { ProgramOutput } from '../../../runtime/processes.ts'

/** The most a configuration may be, in characters. */
const largest = 1_000_000

/** Lines may be as long as all of it. */
export const maxLineLength = largest + 1

/** Lines of standard error that are told with a failure. */
const mostComplaints = 5

export class Answer {
  readonly #log: () => Logger
  readonly #printed: string[] = []
  readonly #complaints: string[] = []
  #size = 0
  #failure: string | undefined

  /** `log` is asked for with the first line of standard error: most hooks print none. */
  constructor(log: () => Logger) {
    this.#log = log
  }

  get text(): string {
    return this.#printed.join('\n')
  }

  /** Why it cannot be used. */
  get problem(): string | undefined {
    const complaints = this.#complaints
    if (this.#failure !== undefined)
      return [`--config ${this.#failure}`, ...complaints].join(complaints.length > 0 ? '\n    ' : '')
    return this.#size > largest ? `--config printed more than ${largest} characters` : undefined
  }

  take(stream: OutputStream, text: string): void {
    if (stream === 'stdout') {
      this.#size += text.length
      if (this.#size <= largest) this.#printed.push(text)
    } else {
      this.#log().info(text, { output: stream })
      this.#complaints.push(text)
      if (this.#complaints.length > mostComplaints) this.#complaints.shift()
    }
  }

  /** All that a hook printed which ended well. */
  async takeAll(printed: ProgramOutput): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const)
      await eachLine([printed[stream]], (text) => this.take(stream, text), maxLineLength)
  }

  /** `failure`: why it did not end well. */
  end(failure: string | undefined): void {
    this.#failure = failure
  }
}
