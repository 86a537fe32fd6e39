/**
 * Container output in memory, one record per attempt, for the last two attempts of each container. Supports following
 * readers.
 */

import type { Pod } from '../../kube/kinds/index.ts'
import type { Clock, Instant } from '../../runtime/index.ts'
import type { LogQuery } from './engine.ts'

interface Chunk {
  readonly at: Instant
  /** A line with its newline, or the beginning of an unfinished line. */
  readonly bytes: Uint8Array
}

/** Limit per attempt; the oldest lines are dropped first. */
const maxRecordBytes = 10 * 2 ** 20
/** Longer lines are split into pieces of this size, so that their oldest pieces can be dropped. */
const maxLineBytes = 2 ** 20

const newline = 10

export interface LogWriter {
  write(bytes: Uint8Array): void
  close(): void
}

class LogRecord implements LogWriter {
  readonly #clock: Clock
  readonly #lines: Chunk[] = []
  readonly #readers = new Set<() => void>()
  #rest = new Uint8Array()
  #size = 0
  #dropped = 0
  #open = true

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get isOpen(): boolean {
    return this.#open
  }

  /** Position after the last line, counted from the first line written. */
  get end(): number {
    return this.#dropped + this.#lines.length
  }

  write(bytes: Uint8Array): void {
    let from = 0
    for (let index = bytes.indexOf(newline); index !== -1; index = bytes.indexOf(newline, from)) {
      this.#add(joined(this.#rest, bytes.subarray(from, index + 1)))
      this.#rest = new Uint8Array()
      from = index + 1
    }
    this.#rest = joined(this.#rest, bytes.subarray(from))
    if (this.#rest.length >= maxLineBytes) {
      this.#add(this.#rest)
      this.#rest = new Uint8Array()
    }
    this.#wake()
  }

  close(): void {
    if (this.#rest.length > 0) this.#add(this.#rest)
    this.#rest = new Uint8Array()
    this.#open = false
    this.#wake()
  }

  from(position: number): readonly Chunk[] {
    return this.#lines.slice(Math.max(0, position - this.#dropped))
  }

  /** Resolves when there are more lines, or when the record is closed. */
  more(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#readers.delete(done)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      this.#readers.add(done)
      signal?.addEventListener('abort', done)
    })
  }

  #add(bytes: Uint8Array): void {
    this.#lines.push({ at: this.#clock.now(), bytes })
    this.#size += bytes.length
    while (this.#size > maxRecordBytes && this.#lines.length > 1) {
      this.#size -= this.#lines.shift()?.bytes.length ?? 0
      this.#dropped++
    }
  }

  #wake(): void {
    for (const reader of [...this.#readers]) reader()
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(one.length + other.length)
  result.set(one)
  result.set(other, one.length)
  return result
}

export class ContainerLogs {
  readonly #clock: Clock
  readonly #records = new Map<string, LogRecord[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Opens the log of a new attempt of the container. */
  open(podUid: string, container: string): LogWriter {
    const key = `${podUid}/${container}`
    const record = new LogRecord(this.#clock)
    this.#records.set(key, [...(this.#records.get(key) ?? []), record].slice(-2))
    return record
  }

  removePod(pod: Pod): void {
    for (const { name } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      this.#records.delete(`${pod.metadata.uid}/${name}`)
    }
  }

  read(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined {
    const records = this.#records.get(`${podUid}/${query.container}`)
    const record = query.previous === true ? records?.at(-2) : records?.at(-1)
    return record === undefined ? undefined : this.#stream(record, query)
  }

  async *#stream(record: LogRecord, query: LogQuery): AsyncGenerator<Uint8Array> {
    const since = this.#since(query)
    let position = query.tailLines === undefined ? 0 : Math.max(0, record.end - query.tailLines)
    let left = query.limitBytes ?? Number.POSITIVE_INFINITY
    for (;;) {
      const lines = record.from(position)
      const finished = !record.isOpen
      position = record.end
      for (const line of lines) {
        if (line.at < since) continue
        const bytes = (query.timestamps === true ? stamped(line) : line.bytes).subarray(0, left)
        left -= bytes.length
        if (bytes.length > 0) yield bytes
        if (left <= 0) return
      }
      if (query.follow !== true || query.signal?.aborted === true || finished) return
      // Lines may have been added while the previous ones were read.
      if (record.end === position && record.isOpen) await record.more(query.signal)
    }
  }

  #since({ sinceSeconds, sinceTime }: LogQuery): Instant {
    if (sinceSeconds !== undefined) return this.#clock.now() - sinceSeconds * 1000
    return sinceTime === undefined ? 0 : Date.parse(sinceTime)
  }
}

function stamped({ at, bytes }: Chunk): Uint8Array {
  return joined(new TextEncoder().encode(`${new Date(at).toISOString().replace('Z', '000000Z')} `), bytes)
}
