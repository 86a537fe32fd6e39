/**
 * As many processes as there are processors, for runs that would take one of them too long. They run a bundle of the sources, without the
 * test runner between the modules. A process is given what it has begun before others are: what it knows of a scenario is dear to find out.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Fault } from '../../../src/cli/rollout/simulation/engines.ts'
import type { Strides } from '../rollout-disturb.ts'

/** A scenario with one of the faults, or a rollout drawn from a number. */
export type Task = Disturbance | { readonly number: number }

export interface Disturbance {
  readonly scenario: string
  readonly fault: Fault
  readonly strides: Strides
}

export interface Answer {
  readonly runs: number
  /** CPU seconds. */
  readonly seconds: number
  readonly failure?: string
}

interface Order {
  readonly task: Task
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/** One that has died is in the crew no more. */
interface Worker {
  readonly process: ChildProcess
  readonly begun: Set<string>
  order?: Order | undefined
}

export class Crew {
  readonly #folder: string
  readonly #workers = new Set<Worker>()
  readonly #waiting: Order[] = []

  private constructor(folder: string, script: string, size: number) {
    this.#folder = folder
    for (let number = 1; number <= size; number++) this.#hire(fork(script, { execArgv: [] }))
  }

  /** `entry` is the module that every process runs. */
  static async gather(
    entry = new URL('./worker.ts', import.meta.url),
    size: number = availableParallelism(),
  ): Promise<Crew> {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-crew-'))
    const outfile = join(folder, 'worker.mjs')
    // Packages that were not written as modules ask for `require`.
    const js = "import{createRequire}from'node:module';const require=createRequire(import.meta.url)"
    const entryPoints = [fileURLToPath(entry)]
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } })
    return new Crew(folder, outfile, size)
  }

  /** Rejects when a run ended otherwise, and when nobody is left to play it. */
  play(task: Task): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject })
      this.#share()
    })
  }

  dismiss(): void {
    for (const { process } of this.#workers) process.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #hire(process: ChildProcess): void {
    const worker: Worker = { process, begun: new Set() }
    this.#workers.add(worker)
    process.on('message', (answer: Answer) => {
      const { order } = worker
      worker.order = undefined
      if (answer.failure === undefined) order?.resolve(answer)
      else order?.reject(new Error(answer.failure))
      this.#share()
    })
    process.on('exit', (code, signal) => {
      this.#workers.delete(worker)
      worker.order?.reject(new Error(`a process of the crew ended with ${signal ?? code}`))
      this.#share()
    })
  }

  #share(): void {
    if (this.#workers.size === 0)
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('no process of the crew is left'))
    for (const worker of this.#workers) {
      if (worker.order !== undefined) continue
      const order = this.#next(worker)
      if (order === undefined) return
      worker.order = order
      worker.begun.add(subjectOf(order.task))
      worker.process.send(order.task)
    }
  }

  /** Its own scenarios come first, then those that nobody has begun. */
  #next({ begun }: Worker): Order | undefined {
    const isOwn = ({ task }: Order) => begun.has(subjectOf(task))
    const isNew = ({ task }: Order) => ![...this.#workers].some((other) => other.begun.has(subjectOf(task)))
    const order = this.#waiting.find(isOwn) ?? this.#waiting.find(isNew) ?? this.#waiting[0]
    if (order !== undefined) this.#waiting.splice(this.#waiting.indexOf(order), 1)
    return order
  }
}

const subjectOf = (task: Task): string => ('number' in task ? 'numbers' : task.scenario)
