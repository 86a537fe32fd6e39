/**
 * A pool with one worker process per processor, for runs that would take one process too long. Workers run a bundle of the sources without
 * the test runner. A worker first gets tasks of the scenarios it has already begun, because the undisturbed run of a scenario is expensive
 * to compute.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Fault } from '../../../src/cli/rollout/simulation/engines.ts'
import type { Strides } from '../rollout-disturb.ts'

/** A scenario with a fault, or a rollout generated from a number. */
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

interface QueuedTask {
  readonly task: Task
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/** A worker is removed from the pool when its process exits. */
interface Worker {
  readonly process: ChildProcess
  readonly begun: Set<string>
  task?: QueuedTask | undefined
}

export class WorkerPool {
  readonly #folder: string
  readonly #workers = new Set<Worker>()
  readonly #waiting: QueuedTask[] = []

  private constructor(folder: string, script: string, size: number) {
    this.#folder = folder
    for (let number = 1; number <= size; number++) this.#addWorker(fork(script, { execArgv: [] }))
  }

  /** `entry` is the module that every process runs. */
  static async create(
    entry = new URL('./worker.ts', import.meta.url),
    size: number = availableParallelism(),
  ): Promise<WorkerPool> {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-pool-'))
    const outfile = join(folder, 'worker.mjs')
    // CommonJS packages use `require`.
    const js = "import{createRequire}from'node:module';const require=createRequire(import.meta.url)"
    const entryPoints = [fileURLToPath(entry)]
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } })
    return new WorkerPool(folder, outfile, size)
  }

  /** Rejects when a run fails, and when no worker is left. */
  play(task: Task): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject })
      this.#assign()
    })
  }

  close(): void {
    for (const { process } of this.#workers) process.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #addWorker(process: ChildProcess): void {
    const worker: Worker = { process, begun: new Set() }
    this.#workers.add(worker)
    process.on('message', (answer: Answer) => {
      const { task: order } = worker
      worker.task = undefined
      if (answer.failure === undefined) order?.resolve(answer)
      else order?.reject(new Error(answer.failure))
      this.#assign()
    })
    process.on('exit', (code, signal) => {
      this.#workers.delete(worker)
      worker.task?.reject(new Error(`a worker process ended with ${signal ?? code}`))
      this.#assign()
    })
  }

  #assign(): void {
    if (this.#workers.size === 0)
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('no worker process is left'))
    for (const worker of this.#workers) {
      if (worker.task !== undefined) continue
      const order = this.#next(worker)
      if (order === undefined) return
      worker.task = order
      worker.begun.add(subjectOf(order.task))
      worker.process.send(order.task)
    }
  }

  /** Tasks of the worker's own scenarios first, then those of scenarios that no worker has begun. */
  #next({ begun }: Worker): QueuedTask | undefined {
    const isOwn = ({ task }: QueuedTask) => begun.has(subjectOf(task))
    const isNew = ({ task }: QueuedTask) => ![...this.#workers].some((other) => other.begun.has(subjectOf(task)))
    const order = this.#waiting.find(isOwn) ?? this.#waiting.find(isNew) ?? this.#waiting[0]
    if (order !== undefined) this.#waiting.splice(this.#waiting.indexOf(order), 1)
    return order
  }
}

const subjectOf = (task: Task): string => ('number' in task ? 'numbers' : task.scenario)
