/**
 * Starts programs through a small helper process. `fork` copies the memory map of the parent; that of this process is large, so starting a
 * program here takes twice the time and blocks the main thread. The helper runs only while many programs are started. It handles one program
 * at a time; a program that is started meanwhile is started directly.
 */
import { isMainThread } from 'node:worker_threads'
import type { ProcessSpec } from '../processes.ts'
import type { Child } from './child.ts'
import { StarterProcess } from './starter-process.ts'
import { isEncodable, perl } from './starter-program.ts'

/** The helper is started when this many programs start within this window. */
const minPrograms = 4
const windowMs = 1000
export interface StarterOptions {
  /** @default Perl, where most systems have it */
  readonly interpreter?: string
  /** The helper ends after this time without a request. @default 5,000 */
  readonly idleTimeoutMs?: number
}

export class Starter {
  readonly #options: Required<StarterOptions>
  #process: StarterProcess | undefined
  #idleTimer: NodeJS.Timeout | undefined
  // In a worker thread programs print to sockets, which only Node.js can pass to them.
  #isPossible = isMainThread
  #count = 0
  #windowStart = 0

  constructor({ interpreter = perl, idleTimeoutMs = 5000 }: StarterOptions = {}) {
    this.#options = { interpreter, idleTimeoutMs }
  }

  /** Undefined when there is no helper or it is busy: the caller starts the program itself. */
  start(spec: ProcessSpec, outputs: readonly [stdout: string, stderr: string]): Child | undefined {
    this.#countOne()
    if (this.#process?.isFree !== true || !isEncodable(spec)) return undefined
    this.#idleTimer?.refresh()
    return this.#process.run(spec, outputs)
  }

  /** Starts the helper, because many programs will be started. */
  warmUp(): void {
    if (this.#process !== undefined || !this.#isPossible) return
    try {
      this.#process = new StarterProcess(this.#options.interpreter)
    } catch {
      this.#isPossible = false
      return
    }
    const own = this.#process
    this.#idleTimer = setTimeout(() => own.end(), this.#options.idleTimeoutMs).unref()
    void own.ended.then((hasWorked) => {
      this.#isPossible = hasWorked
      this.#process = undefined
      clearTimeout(this.#idleTimer)
    })
  }

  #countOne(): void {
    const now = performance.now()
    if (now - this.#windowStart > windowMs) {
      this.#windowStart = now
      this.#count = 0
    }
    if (++this.#count >= minPrograms) this.warmUp()
  }
}
