/** One object changes from time to time: the time from the write to the start of the hook. */
import type { BenchContext } from '../harness.ts'
import { quantile } from '../rollouts/statistics.ts'
import { type BenchCluster, ConfigMaps, follows } from './cluster.ts'
import { type Contender, goalFor, Running } from './contenders.ts'
import { HooksFolder, monotonic } from './hooks.ts'
import { pause } from './pause.ts'

const changes = 200
const warmUps = 10
/** Milliseconds between the end of a run and the next change. */
const idle = 100

export async function latency(
  context: BenchContext,
  cluster: BenchCluster,
  contender: Contender,
  program: string,
): Promise<void> {
  const maps = await ConfigMaps.create(cluster, `latency-${contender.name}`, 1)
  const folder = new HooksFolder(program, { hook: follows(maps.namespace) })
  await Running.during(contender, cluster.kubeconfig, folder, async ({ hooks }) => {
    await hooks.until('the first Synchronization', ({ length }) => length > 0)
    const times: number[] = []
    for (let index = 0; index < warmUps + changes; index++) {
      hooks.clear()
      await pause(idle)
      await maps.change()
      const written = monotonic()
      await hooks.until('the run', ({ length }) => length > 0)
      if (index >= warmUps) times.push((hooks.records[0]?.began ?? Number.NaN) - written)
    }
    const name = (what: string) => `${contender.name}, idle: write answered → hook starts, ${what}`
    context.report(name('p50'), quantile(times, 0.5), 'ms', goalFor(contender, { atMost: 10 }))
    context.report(name('p99'), quantile(times, 0.99), 'ms', goalFor(contender, { atMost: 30 }))
  })
}
