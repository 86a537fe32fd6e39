/** Keeps files that list the tasks in the queues. Changes are collected before a file is replaced as a whole. */
import type { Runtime, Timer } from '../../../runtime/index.ts'

const collectForMs = 500

export class DumpFiles {
  readonly #runtime: Runtime
  readonly #paths: readonly string[]
  readonly #content: () => string
  #written: string | undefined
  #timer: Timer | undefined
  #writing: Promise<void> = Promise.resolve()
  #hasComplained = false

  constructor(runtime: Runtime, paths: readonly string[], content: () => string) {
    this.#runtime = runtime
    this.#paths = paths
    this.#content = content
  }

  changed(): void {
    if (this.#paths.length === 0 || this.#timer !== undefined) return
    this.#timer = this.#runtime.clock.after(collectForMs, () => {
      this.#timer = undefined
      this.#writing = this.#writing.then(() => this.#write())
    })
  }

  /** Writes the last state. */
  async close(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    await this.#writing
    if (this.#paths.length > 0) await this.#write()
  }

  async #write(): Promise<void> {
    const content = this.#content()
    if (content === this.#written) return
    const { files, random, log } = this.#runtime
    for (const path of this.#paths) {
      const draft = `${path}.${random.uuid()}`
      try {
        await files.write(draft, content, { mode: 0o600 })
        await files.rename(draft, path)
      } catch (error) {
        // Logged once: on a full disk every change would log a line.
        if (!this.#hasComplained) log.warn('cannot write the file that shows the queues', { path, error })
        this.#hasComplained = true
        await files.remove(draft).catch(() => undefined)
      }
    }
    this.#written = content
  }
}
