/**
 * Output of a process on its way to the reader. It is taken in from the start, so that a reader who comes late misses nothing and a
 * process that nobody reads never stands still at a full pipe.
 */
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** Kept for a reader: beyond it an attached reader slows the process down, and without one the rest is let go. */
const most = 1024 * 1024

export class ProcessOutput implements AsyncIterable<Uint8Array> {
  #source: Readable | undefined
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #ended = false
  #attached = false
  #wake: () => void = () => undefined
  /** Resolves when every byte was taken in and no process holds the other end any more, or nobody wants to know. */
  readonly drained: Promise<void>
  #drain: () => void = () => undefined

  constructor(source?: Readable) {
    this.drained = new Promise((resolve) => {
      this.#drain = resolve
    })
    if (source !== undefined) this.follow(source)
  }

  /** Takes in what comes from there, to its end. */
  follow(source: Readable): void {
    this.#source = source
    source.on('data', (chunk: Uint8Array) => this.take(chunk))
    source.on('error', () => undefined)
    source.once('close', () => this.end())
  }

  take(chunk: Uint8Array): void {
    if (this.#ended || (this.#size >= most && !this.#attached)) return
    this.#chunks.push(chunk)
    this.#size += chunk.byteLength
    if (this.#size >= most && this.#attached) this.#source?.pause()
    this.#wake()
  }

  /** Nothing comes any more. */
  end(): void {
    this.#ended = true
    this.#wake()
    this.#drain()
  }

  /** What comes from now on is read and dropped, so that its writer is neither stopped nor a reason for this process to stay. */
  letGo(): void {
    if (this.#ended) return
    this.end()
    if (this.#source instanceof Socket) this.#source.unref()
    this.#source?.resume()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#attached = true
    try {
      for (;;) {
        const chunk = this.#chunks.shift()
        if (chunk !== undefined) {
          this.#size -= chunk.byteLength
          if (this.#size < most) this.#source?.resume()
          yield chunk
        } else if (this.#ended) {
          return
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
      }
    } finally {
      this.#attached = false
      this.#source?.resume()
    }
  }
}
