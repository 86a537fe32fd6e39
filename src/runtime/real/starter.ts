/**
 * Starts programs through a small process that is there for nothing else. To start one the system copies the memory map of whoever starts it,
 * and ours is large, so that it takes us twice the time, on the one thread everything else waits for. It is there only while there is much to
 * start, and serves one program at a time: those that run side by side do not wait for each other's start.
 */
import { isMainThread } from 'node:worker_threads'
import type { ProcessSpec } from '../processes.ts'
import type { Child } from './child.ts'
import { StarterProcess } from './starter-process.ts'
import { canBeOrdered, perl } from './starter-program.ts'

/** So many programs within so many milliseconds are many. */
const many = 4
const shortly = 1000
export interface StarterOptions {
  /** @default Perl, where most systems have it */
  readonly interpreter?: string
  /** Milliseconds without an order after which it goes. @default 5,000 */
  readonly patience?: number
}

export class Starter {
  readonly #options: Required<StarterOptions>
  #process: StarterProcess | undefined
  #going: NodeJS.Timeout | undefined
  // In a worker thread programs print to sockets, which only we can give them.
  #isPossible = isMainThread
  #count = 0
  #since = 0

  constructor({ interpreter = perl, patience = 5000 }: StarterOptions = {}) {
    this.#options = { interpreter, patience }
  }

  /** Undefined when there is nobody to ask, or nobody who is free: the program is to be started by ourselves. */
  start(spec: ProcessSpec, outputs: readonly [stdout: string, stderr: string]): Child | undefined {
    this.#countOne()
    if (this.#process?.isFree !== true || !canBeOrdered(spec)) return undefined
    this.#going?.refresh()
    return this.#process.run(spec, outputs)
  }

  /** Many programs are to come. */
  makeReady(): void {
    if (this.#process !== undefined || !this.#isPossible) return
    try {
      this.#process = new StarterProcess(this.#options.interpreter)
    } catch {
      this.#isPossible = false
      return
    }
    const own = this.#process
    this.#going = setTimeout(() => own.end(), this.#options.patience).unref()
    void own.over.then((wasOfUse) => {
      this.#isPossible = wasOfUse
      this.#process = undefined
      clearTimeout(this.#going)
    })
  }

  #countOne(): void {
    const now = performance.now()
    if (now - this.#since > shortly) {
      this.#since = now
      this.#count = 0
    }
    if (++this.#count >= many) this.makeReady()
  }
}
