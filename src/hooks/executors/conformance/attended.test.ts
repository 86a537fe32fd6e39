import { describe, it } from 'vitest'
import type { KubeClient } from '../../../kube/client/client.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { createSimulation, type Simulation } from '../../../runtime/simulated/index.ts'
import type { Executor } from '../executor.ts'
import { FunctionExecutor } from '../function-executor.ts'
import { HttpExecutor } from '../http-executor.ts'
import { ProcessExecutor } from '../process-executor.ts'
import { promises } from './promises.ts'
import { type ExecutorWorld, printedLine } from './world.ts'

/** What the runs of one world do outside: started, under way, and ended by a call. */
class Outside {
  starts = 0
  readonly #underWay = new Set<() => void>()

  /** Resolves with how the run is ended from outside; rejects when it is ended from inside. */
  begin(signal?: AbortSignal): Promise<'success' | 'failure'> {
    this.starts += 1
    return new Promise((resolve, reject) => {
      const end = () => resolve(this.#how)
      this.#underWay.add(end)
      signal?.addEventListener('abort', () => {
        this.#underWay.delete(end)
        reject(signal.reason as Error)
      })
    })
  }

  #how: 'success' | 'failure' = 'success'

  end(how: 'success' | 'failure'): void {
    this.#how = how
    for (const end of this.#underWay) end()
    this.#underWay.clear()
  }

  get isUnderWay(): boolean {
    return this.#underWay.size > 0
  }

  killed(): void {
    this.#underWay.clear()
  }
}

interface Kind {
  executor(runtime: Runtime): Executor<never>
  readonly action: unknown
  prepare(simulation: Simulation, outside: Outside): void | Promise<void>
}

const kinds: Readonly<Record<string, Kind>> = {
  http: {
    executor: (runtime) => new HttpExecutor({} as KubeClient, runtime, new AbortController().signal) as never,
    action: { url: 'http://receiver/hook', body: '{}' },
    async prepare(simulation, outside) {
      await simulation.domain('receiver').runtime.http.listen({ host: 'receiver', port: 80 }, async ({ signal }) => {
        const how = await outside.begin(signal)
        return { status: how === 'success' ? 200 : 500, headers: {}, body: new Uint8Array() }
      })
    },
  },
  process: {
    executor: (runtime) => new ProcessExecutor(runtime, new AbortController().signal) as never,
    action: { command: 'check', env: {}, cwd: '/' },
    prepare(simulation, outside) {
      simulation.script('check', async ({ print, trap, runtime: { clock } }) => {
        const ended = new AbortController()
        trap('SIGTERM', () => ended.abort(new Error('SIGTERM')))
        print(`${printedLine}\n`)
        const how = await outside.begin(ended.signal)
        await clock.sleep(1)
        return how === 'success' ? 0 : 1
      })
    },
  },
  function: {
    executor: (runtime) => new FunctionExecutor(runtime) as never,
    action: { module: '/hooks/check.mjs', env: {}, member: 'run' },
    prepare(simulation, outside) {
      simulation.module('/hooks/check.mjs', {
        async run(_: unknown, signal: AbortSignal) {
          if ((await outside.begin(signal)) === 'failure') throw new Error('no')
        },
      })
    },
  },
}

describe.each(Object.entries(kinds))('the %s executor', (_, kind) => {
  it.each(promises.filter(({ says }) => says.attended !== undefined))('keeps the promise: $name', (promise) => {
    const simulation = createSimulation(1)
    const outside = new Outside()
    const { clock } = simulation.runtime
    return simulation.run(async () => {
      await kind.prepare(simulation, outside)
      let executor = kind.executor(simulation.domain('operator').runtime)
      const world: ExecutorWorld = {
        executor: () => executor as never,
        action: () => kind.action,
        starts: () => outside.starts,
        isUnderWay: () => outside.isUnderWay,
        end: async (_run, how) => outside.end(how),
        async restart() {
          simulation.halt('operator')
          await clock.sleep(1)
          outside.killed()
          executor = kind.executor(simulation.domain('operator').runtime)
        },
        settle: () => clock.sleep(30_000),
      }
      await promise.check(world, 'attended')
    })
  })
})
