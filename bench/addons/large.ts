/** Twenty thousand ConfigMaps of 4 KiB: time until a hook has received them, and memory of the operator. */
import type { BenchContext } from '../harness.ts'
import { type BenchCluster, ConfigMaps, follows } from './cluster.ts'
import { type Contender, goalFor, Running } from './contenders.ts'
import { HooksFolder } from './hooks.ts'
import { pause } from './pause.ts'

const count = 20_000
const kibibytes = 4
/** Milliseconds until an operator has released the memory that it needed for the start. */
const settling = 15_000

export async function createMany(cluster: BenchCluster): Promise<ConfigMaps> {
  return ConfigMaps.create(cluster, 'large', count, { payload: 'x'.repeat(kibibytes * 1024) })
}

export async function large(
  context: BenchContext,
  cluster: BenchCluster,
  contender: Contender,
  program: string,
): Promise<void> {
  const few = await start(cluster, contender, program, follows('default'))
  const filtered = await start(cluster, contender, program, follows('large'))
  const whole = await start(cluster, contender, program, follows('large', { keepFullObjectsInMemory: true }))
  const goals = { filtered: { seconds: 3, megabytes: 30 }, whole: { seconds: 4, megabytes: 150 } }
  const report = (what: string, { seconds, now, peak }: Start, goal: (typeof goals)['whole']) => {
    const name = (figure: string) => `${contender.name}, ${count} ConfigMaps of ${kibibytes} KiB, ${what}: ${figure}`
    const [most, room] = [{ atMost: goal.seconds }, { atMost: goal.megabytes }]
    context.report(name('start → first Synchronization'), seconds, 's', goalFor(contender, most))
    context.report(name('RSS beyond that of an empty cluster'), (now - few.now) / 1e6, 'MB', goalFor(contender, room))
    context.report(name('peak RSS beyond that'), (peak - few.peak) / 1e6, 'MB')
  }
  report('filtered', filtered, goals.filtered)
  report('with full objects', whole, goals.whole)
}

interface Start {
  readonly seconds: number
  readonly now: number
  readonly peak: number
}

function start(
  { kubeconfig }: BenchCluster,
  contender: Contender,
  program: string,
  config: Record<string, unknown>,
): Promise<Start> {
  const folder = new HooksFolder(program, { hook: config })
  return Running.during(contender, kubeconfig, folder, async (running) => {
    const { hooks } = running
    await hooks.until('the first Synchronization', ({ length }) => length > 0, 120)
    await pause(settling)
    const began = hooks.records[0]?.began ?? Number.NaN
    return { seconds: (began - running.startedAt) / 1000, ...running.memory() }
  })
}
