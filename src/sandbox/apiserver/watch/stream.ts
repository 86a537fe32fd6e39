/**
 * A response body with a writer and a reader. The watch ends the stream of a slow reader, which must watch again from
 * its last resourceVersion.
 */
export class EventStream implements AsyncIterable<Uint8Array> {
  #waiting: ((result: IteratorResult<Uint8Array>) => void) | undefined
  #queue: Uint8Array[] = []
  #ended = false
  #queuedBytes = 0
  readonly #closed: () => void

  /** `closed` is called once, when either side ends the stream. */
  constructor(closed: () => void) {
    this.#closed = closed
  }

  /** Bytes that are written but not read. */
  get queuedBytes(): number {
    return this.#queuedBytes
  }

  write(bytes: Uint8Array): void {
    if (this.#ended) return
    const waiting = this.#waiting
    if (waiting === undefined) {
      this.#queue.push(bytes)
      this.#queuedBytes += bytes.length
      return
    }
    this.#waiting = undefined
    waiting({ done: false, value: bytes })
  }

  /** Ends the stream; queued bytes can still be read. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#closed()
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: () => {
        const queued = this.#drain()
        if (queued !== undefined) return Promise.resolve({ done: false, value: queued })
        if (this.#ended) return Promise.resolve({ done: true, value: undefined })
        return new Promise((resolve) => {
          this.#waiting = resolve
        })
      },
      return: () => {
        this.#queue = []
        this.end()
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  }

  /** Returns all queued bytes at once, to reduce writes to the socket. */
  #drain(): Uint8Array | undefined {
    this.#queuedBytes = 0
    if (this.#queue.length <= 1) return this.#queue.pop()
    const pieces = this.#queue
    this.#queue = []
    const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
    let offset = 0
    for (const piece of pieces) {
      joined.set(piece, offset)
      offset += piece.length
    }
    return joined
  }
}
