/** Every scenario with every fault, shared among processes; the number of runs is printed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fault, faults } from '../../src/cli/rollout/simulation/engines.ts'
import { WorkerPool } from './pool/pool.ts'
import { scenarios } from './rollout-scenarios.ts'

/** A fault comes at every so many writes, and at every so many of them all is played from the beginning. */
export function describeFaults(strides: Readonly<Record<Fault, number>>, whole: number): void {
  const runs = new Map<string, number>()
  let seconds = 0
  let crew: Promise<WorkerPool>
  beforeAll(() => {
    crew = WorkerPool.create()
    return crew.then(() => undefined)
  })
  afterAll(async () => {
    ;(await crew).close()
    const counts = Array.from(runs, ([name, count]) => `  ${String(count).padStart(5)}  ${name}\n`).join('')
    const all = [...runs.values()].reduce((sum, count) => sum + count, 0)
    const cost = `${Math.round(seconds)} CPU seconds`
    process.stdout.write(`rollouts: ${all} runs with engines that died or were deaf, ${cost}\n${counts}`)
  })
  describe.concurrent.each(scenarios)('$name', ({ name }) => {
    it.each(faults)(
      '[rollouts W13] ends the same wherever the fault %s comes',
      async (fault) => {
        const answer = await (await crew).play({ scenario: name, fault, strides: { stride: strides[fault], whole } })
        // The fewest that any scenario writes, before and after each.
        expect(answer.runs).toBeGreaterThanOrEqual(Math.floor(20 / strides[fault]))
        runs.set(name, (runs.get(name) ?? 0) + answer.runs)
        seconds += answer.seconds
      },
      1_200_000,
    )
  })
}
