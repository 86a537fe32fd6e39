/** One hook in an empty cluster without changes: start-up time of the operator, and its CPU time and memory when idle. */
import { type BenchContext, medianOf } from '../harness.ts'
import { type BenchCluster, follows } from './cluster.ts'
import { type Contender, goalFor, Running } from './contenders.ts'
import { HooksFolder } from './hooks.ts'
import { pause } from './pause.ts'

const rounds = 7
const settleSeconds = 20
const restSeconds = 60

export async function empty(
  context: BenchContext,
  { kubeconfig }: BenchCluster,
  contender: Contender,
  program: string,
): Promise<void> {
  const name = (what: string) => `${contender.name}, empty cluster: ${what}`
  const start = async (running: Running): Promise<number> => {
    await running.hooks.until('the first Synchronization', ({ length }) => length > 0)
    return (running.hooks.records[0]?.began ?? Number.NaN) - running.startedAt
  }
  const folder = () => new HooksFolder(program, { hook: follows('nowhere') })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await Running.during(contender, kubeconfig, folder(), start))
  context.report(name('start → first Synchronization'), medianOf(times), 'ms', goalFor(contender, { atMost: 300 }))
  await Running.during(contender, kubeconfig, folder(), async (running) => {
    await start(running)
    await pause(settleSeconds * 1000)
    const cpu = running.cpu()
    await pause(restSeconds * 1000)
    const share = ((running.cpu() - cpu) / restSeconds) * 100
    const { now, peak } = running.memory()
    context.report(name('RSS'), now / 1e6, 'MB', goalFor(contender, { atMost: 75 }))
    context.report(name('peak RSS'), peak / 1e6, 'MB')
    context.report(name('CPU at rest'), share, '%', goalFor(contender, { atMost: 0.15 }))
  })
}
