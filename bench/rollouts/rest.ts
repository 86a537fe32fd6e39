/** The operator with many Deployments and policies that do not change: its memory, CPU time and requests, and its start-up time. */
import type { BenchContext } from '../harness.ts'
import { type BenchCluster, operatorUser } from './cluster.ts'
import { Fleet } from './fleet.ts'
import { job } from './objects.ts'
import { Operator } from './operator.ts'

const sizes = [
  { count: 1000, megabytes: 85, seconds: 1.5 },
  { count: 2000, megabytes: 95, seconds: undefined },
]
const settleSeconds = 20
const restSeconds = 60

export async function rest(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const hooks = [job('before', 0), job('half', '50%')]
  let there = 0
  for (const { count, megabytes, seconds } of sizes) {
    const names = Array.from({ length: count - there }, (_, index) => `web-${index}`)
    const first = await Operator.start(cluster.operatorKubeconfig)
    await Fleet.create(cluster, { namespace: `rest-${count}`, names, replicas: 1, hooks })
    there = count
    await cluster.runtime.clock.sleep(5000)
    await first.stop()
    await measure(context, cluster, { count, megabytes, seconds })
  }
}

async function measure(
  context: BenchContext,
  cluster: BenchCluster,
  { count, megabytes, seconds }: { count: number; megabytes: number; seconds: number | undefined },
): Promise<void> {
  const { clock } = cluster.runtime
  const operator = await Operator.start(cluster.operatorKubeconfig, [])
  try {
    while ((await operator.metric('carabiner_controller_reconciles_total')) < count) await clock.sleep(10)
    const took = (performance.now() - operator.startedAt) / 1000
    const name = (what: string) => `${count} Deployments at rest: ${what}`
    context.report(name('start → all reconciled'), took, 's', seconds === undefined ? {} : { atMost: seconds })
    await clock.sleep(settleSeconds * 1000)
    cluster.audit.take()
    const cpu = operator.cpu()
    await clock.sleep(restSeconds * 1000)
    const share = ((operator.cpu() - cpu) / restSeconds) * 100
    const calls = cluster.audit.take().filter(({ user }) => user === operatorUser)
    const { now, peak } = operator.memory()
    context.report(name('RSS'), now / 1e6, 'MB', { atMost: megabytes })
    context.report(name('peak RSS'), peak / 1e6, 'MB')
    context.report(name('CPU'), share, '%', { atMost: 0.15 })
    const others = calls.filter(({ resource }) => resource !== 'leases')
    context.report(name('requests that are not for the lease'), others.length, '', { atMost: 0 })
  } finally {
    await operator.stop()
  }
}
