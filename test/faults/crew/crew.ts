/**
 * As many processes as there are processors, for runs that would take one of them too long. They run a bundle of the sources, without the
 * test runner between the modules.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Fault } from '../../../src/cli/rollout/simulation/engines.ts'

export interface Task {
  readonly scenario: string
  readonly fault: Fault
  /** Disturbs every so many writes. */
  readonly stride: number
}

export interface Answer {
  readonly runs: number
  readonly failure?: string
}

export class Crew {
  readonly #folder: string
  readonly #all: readonly ChildProcess[]
  readonly #idle: ChildProcess[]
  readonly #waiting: ((worker: ChildProcess) => void)[] = []

  private constructor(folder: string, workers: readonly ChildProcess[]) {
    this.#folder = folder
    this.#all = workers
    this.#idle = [...workers]
  }

  static async gather(): Promise<Crew> {
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-crew-'))
    const outfile = join(folder, 'worker.mjs')
    // Packages that were not written as modules ask for `require`.
    const js = "import{createRequire}from'node:module';const require=createRequire(import.meta.url)"
    const entry = fileURLToPath(new URL('./worker.ts', import.meta.url))
    await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } })
    const workers = Array.from({ length: availableParallelism() }, () => fork(outfile, { execArgv: [] }))
    return new Crew(folder, workers)
  }

  /** The number of runs; rejects when one of them ended otherwise. */
  async play(task: Task): Promise<number> {
    const worker = this.#idle.pop() ?? (await new Promise<ChildProcess>((resolve) => this.#waiting.push(resolve)))
    const { runs, failure } = await ask(worker, task)
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(worker)
    else next(worker)
    if (failure !== undefined) throw new Error(failure)
    return runs
  }

  dismiss(): void {
    for (const worker of this.#all) worker.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function ask(worker: ChildProcess, task: Task): Promise<Answer> {
  return new Promise((resolve) => {
    const gone = (code: number | null) => resolve({ runs: 0, failure: `a process of the crew ended with ${code}` })
    worker.once('exit', gone)
    worker.once('message', (answer: Answer) => {
      worker.off('exit', gone)
      resolve(answer)
    })
    worker.send(task)
  })
}
