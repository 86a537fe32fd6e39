/**
 * A file that another program renews: a token or certificate. It is read again after a while, and at once when the server refuses its content.
 */
import { CarabinerError, type Runtime } from '../../runtime/index.ts'

/** A renewed file is noticed within this time; certificates and tokens are renewed long before they expire. */
const maxAgeMs = 10_000

export class RotatingFile {
  readonly #runtime: Pick<Runtime, 'files' | 'clock'>
  readonly #path: string
  /** The role of the file in the configuration, for example `user "me": tokenFile`. */
  readonly #role: string
  #held: { readonly content: string; readonly at: number } | undefined

  constructor(runtime: Pick<Runtime, 'files' | 'clock'>, path: string, role: string) {
    this.#runtime = runtime
    this.#path = path
    this.#role = role
  }

  async read(): Promise<string> {
    const { clock } = this.#runtime
    if (this.#held !== undefined && clock.monotonic() - this.#held.at < maxAgeMs) return this.#held.content
    return this.reread()
  }

  /** Keeps the last content when the file is missing, as it is for a moment while it is replaced. */
  async reread(): Promise<string> {
    try {
      const content = await this.#runtime.files.readText(this.#path)
      this.#held = { content, at: this.#runtime.clock.monotonic() }
      return content
    } catch (cause) {
      if (this.#held !== undefined) return this.#held.content
      throw new CarabinerError('CRB_FILE_UNREADABLE', `${this.#role}: the file ${this.#path} cannot be read.`, {
        cause,
        remedy: 'Create the file or correct its path in the kubeconfig.',
      })
    }
  }
}
