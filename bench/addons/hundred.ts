/** A folder of a hundred hooks: time until all are loaded and have run once. */
import { type BenchContext, type Goal, medianOf } from '../harness.ts'
import { type BenchCluster, follows } from './cluster.ts'
import { type Contender, goalFor, Running } from './contenders.ts'
import { HooksFolder } from './hooks.ts'

const count = 100
const rounds = 5

export async function hundred(
  context: BenchContext,
  { kubeconfig }: BenchCluster,
  contender: Contender,
  program: string,
): Promise<void> {
  const measure = async (what: string, configOf: (hook: string) => Record<string, unknown>, goal: Goal) => {
    const names = Array.from({ length: count }, (_, index) => `hook-${index}`)
    const configs = Object.fromEntries(names.map((hook) => [hook, configOf(hook)]))
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const folder = new HooksFolder(program, configs)
      const took = await Running.during(contender, kubeconfig, folder, async ({ hooks, startedAt }) => {
        await hooks.until('one run of each hook', ({ length }) => length >= count)
        return (hooks.records.at(-1)?.ended ?? Number.NaN) - startedAt
      })
      times.push(took)
    }
    context.report(`${contender.name}, ${count} hooks: ${what}`, medianOf(times), 'ms', goalFor(contender, goal))
  }
  await measure('start → all onStartup done', () => ({ configVersion: 'v1', onStartup: 1 }), { atMost: 400 })
  await measure('start → all synchronised', () => follows('nowhere'), { atMost: 1000 })
  const own = (hook: string) => follows('nowhere', { labelSelector: { matchLabels: { hook } } })
  await measure('start → all synchronised, each with a selector of its own', own, {})
}
