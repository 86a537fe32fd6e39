/**
 * Buffers the output of a process. It is read from the start, so that a late reader misses nothing and a process without a reader does
 * not block on a full pipe.
 */
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** Beyond this size a slow reader slows the process down, and without a reader further output is dropped. */
const maxBufferedBytes = 1024 * 1024

export class ProcessOutput implements AsyncIterable<Uint8Array> {
  #source: Readable | undefined
  readonly #chunks: Uint8Array[] = []
  #size = 0
  #ended = false
  #attached = false
  #wake: () => void = () => undefined
  /** Resolves when all output was read and no process holds the other end open, or when `stopReading` was called. */
  readonly drained: Promise<void>
  #drain: () => void = () => undefined

  constructor(source?: Readable) {
    this.drained = new Promise((resolve) => {
      this.#drain = resolve
    })
    if (source !== undefined) this.follow(source)
  }

  /** Reads from the source until its end. */
  follow(source: Readable): void {
    this.#source = source
    source.on('data', (chunk: Uint8Array) => this.take(chunk))
    source.on('error', () => undefined)
    source.once('close', () => this.end())
  }

  take(chunk: Uint8Array): void {
    if (this.#ended || (this.#size >= maxBufferedBytes && !this.#attached)) return
    this.#chunks.push(chunk)
    this.#size += chunk.byteLength
    if (this.#size >= maxBufferedBytes && this.#attached) this.#source?.pause()
    this.#wake()
  }

  /** Marks the end of the output. */
  end(): void {
    this.#ended = true
    this.#wake()
    this.#drain()
  }

  /** Further output is read and dropped, so that the writer does not block and does not keep this process running. */
  stopReading(): void {
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
          if (this.#size < maxBufferedBytes) this.#source?.resume()
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
