/**
 * Many Deployments changed at once, each with one Job before its first pod: time until all are complete, and its cost. The cost without
 * the operator is measured before and after, because the load of the machine changes, and each on its own cluster: an API server caches
 * objects for more than a minute, and its garbage collector scans all of them.
 */
import type { BenchContext } from '../harness.ts'
import type { OnCluster } from '../parts/clusters.ts'
import { accountFor, formatSeconds } from '../processes/account.ts'
import { allocatedBy } from './allocated.ts'
import { isWrite } from './audit.ts'
import { type BenchCluster, operatorUser } from './cluster.ts'
import { Fleet } from './fleet.ts'
import { floor } from './floor.ts'
import { job } from './objects.ts'
import { Operator } from './operator.ts'

const replicas = 3
/** The wait ends after this multiple of the goal; what is missing then shows in the figures. */
const timeoutFactor = 6
const hooks = [job('before', 0)]

export async function storm(
  context: BenchContext,
  onCluster: OnCluster,
  count: number,
  seconds: number,
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `web-${index}`)
  const name = (what: string) => `${count} Deployments of ${replicas}, one Job, changed at once: ${what}`
  const before = await onCluster((cluster) => floor(cluster, names, replicas))
  context.say(name(`without the operator, ${formatSeconds(before.cpu)}`))
  const { took, megabytes } = await onCluster((cluster) => stormOn(context, cluster, { names, name, seconds }))
  const after = await onCluster((cluster) => floor(cluster, names, replicas))
  context.say(name(`without the operator again, ${formatSeconds(after.cpu)}`))
  const least = (before.seconds + after.seconds) / 2
  context.report(name('the same without the operator, and as many Jobs'), least, 's')
  context.report(name('beside that'), took / least, '×')
  const bare = (before.megabytes + after.megabytes) / 2
  context.report(name('allocated by the API server, for each'), megabytes / count, 'MB')
  context.report(name('beside the same without the operator'), megabytes / bare, '×')
}

interface Storm {
  readonly names: readonly string[]
  /** The name of a figure. */
  name(what: string): string
  /** The goal. */
  readonly seconds: number
}

/** Resolves with the seconds it took and the megabytes that the API server allocated. */
async function stormOn(
  context: BenchContext,
  cluster: BenchCluster,
  { names, name, seconds }: Storm,
): Promise<{ readonly took: number; readonly megabytes: number }> {
  const { clock } = cluster.runtime
  const { length: count } = names
  const operator = await Operator.start(cluster.operatorKubeconfig)
  try {
    const fleet = await Fleet.create(cluster, { namespace: `storm-${count}`, names, replicas, hooks })
    await rollOnce(cluster)
    await clock.sleep(3000)
    cluster.audit.take()
    const allocated = await allocatedBy(cluster)
    const account = accountFor(new Map([...cluster.processes, ['operator', operator.pid]]))
    const cpu = operator.cpu()
    const begun = performance.now()
    await fleet.change()
    await fleet.completed(seconds * timeoutFactor)
    const took = (performance.now() - begun) / 1000
    context.say(name(formatSeconds(account())))
    const megabytes = (await allocatedBy(cluster)) - allocated
    await fleet.tidied()
    await clock.sleep(2000)
    const used = operator.cpu() - cpu
    const calls = cluster.audit.take().filter(({ user }) => user === operatorUser)
    const started = calls.filter(({ verb, resource, code }) => verb === 'create' && resource === 'jobs' && code < 300)
    context.report(name('until all are complete'), took, 's', { atMost: seconds })
    context.report(name('Jobs started'), started.length, '', { atLeast: count, atMost: count })
    const once = fleet
      .ledgers()
      .filter(({ hooks }) => hooks.every(({ attempts, state }) => attempts === 1 && state === 'Succeeded'))
    context.report(name('hooks with exactly one attempt'), once.length, '', { atLeast: count, atMost: count })
    context.report(name('CPU'), used, 's')
    context.report(name('peak RSS'), operator.memory().peak / 1e6, 'MB')
    context.report(name('writes'), calls.filter(isWrite).length, '')
    context.report(name('conflicts'), calls.filter(({ code }) => code === 409).length, '')
    return { took, megabytes }
  } finally {
    await operator.stop()
  }
}

/** One rollout before the measurement: the API server loads its first admission policies with the first change. */
async function rollOnce(cluster: BenchCluster): Promise<void> {
  const fleet = await Fleet.create(cluster, { namespace: 'warm-up', names: ['web'], replicas, hooks })
  await fleet.change()
  await fleet.completed()
}
