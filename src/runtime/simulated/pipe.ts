/** Buffers the output of a simulated process until it is read. */
import type { Cell } from './cell.ts'

export class Pipe implements AsyncIterable<Uint8Array> {
  readonly #reader: Cell
  readonly #chunks: Uint8Array[] = []
  #ended = false
  #waiting: (() => void) | undefined

  constructor(reader: Cell) {
    this.#reader = reader
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#waiting?.()
  }

  end(): void {
    this.#ended = true
    this.#waiting?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      if (this.#chunks.length === 0 && !this.#ended) await this.#more()
      const chunk = await this.#reader.deliver(() => this.#chunks.shift())
      if (chunk === undefined) return
      yield chunk
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }
}
