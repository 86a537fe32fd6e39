/**
 * A body that is written to from one side and read from the other. A reader that stays behind for too long is cut off: it has to
 * come back with its last version.
 */
export class EventStream implements AsyncIterable<Uint8Array> {
  #waiting: ((result: IteratorResult<Uint8Array>) => void) | undefined
  #queue: Uint8Array[] = []
  #ended = false
  #backlog = 0
  readonly #closed: () => void

  /** `closed` is called once, whichever side ends the stream. */
  constructor(closed: () => void) {
    this.#closed = closed
  }

  /** Bytes written and not read yet. */
  get backlog(): number {
    return this.#backlog
  }

  write(bytes: Uint8Array): void {
    if (this.#ended) return
    const waiting = this.#waiting
    if (waiting === undefined) {
      this.#queue.push(bytes)
      this.#backlog += bytes.length
      return
    }
    this.#waiting = undefined
    waiting({ done: false, value: bytes })
  }

  /** Nothing follows; what is queued is still read. */
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

  /** Everything queued as one piece: fewer writes on the wire. */
  #drain(): Uint8Array | undefined {
    this.#backlog = 0
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
