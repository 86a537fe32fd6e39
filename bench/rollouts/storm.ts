/** Many Deployments changed at once, each with one Job before its first pod: how long until all are done, and what that costs. */
import type { BenchContext } from '../harness.ts'
import { isWrite } from './audit.ts'
import { type BenchCluster, operatorUser } from './cluster.ts'
import { Fleet } from './fleet.ts'
import { floor } from './floor.ts'
import { job } from './objects.ts'
import { Operator } from './operator.ts'

const replicas = 3
/** For the control plane to take away what was there before. */
const quietSeconds = 10

export async function storm(
  context: BenchContext,
  cluster: BenchCluster,
  count: number,
  seconds: number,
): Promise<void> {
  const operator = await Operator.start(cluster.operatorKubeconfig)
  try {
    const names = Array.from({ length: count }, (_, index) => `web-${index}`)
    const least = await floor(cluster, names, replicas)
    await cluster.runtime.clock.sleep(quietSeconds * 1000)
    const options = { namespace: `storm-${count}`, names, replicas, hooks: [job('before', 0)] }
    const fleet = await Fleet.create(cluster, options)
    await cluster.runtime.clock.sleep(3000)
    cluster.audit.take()
    const cpu = operator.cpu()
    const begun = performance.now()
    await fleet.change()
    await fleet.completed()
    const took = (performance.now() - begun) / 1000
    await cluster.runtime.clock.sleep(2000)
    const used = operator.cpu() - cpu
    const calls = cluster.audit.take().filter(({ user }) => user === operatorUser)
    const started = calls.filter(({ verb, resource, code }) => verb === 'create' && resource === 'jobs' && code < 300)
    const name = (what: string) => `${count} Deployments of ${replicas}, one Job, changed at once: ${what}`
    context.report(name('until all are complete'), took, 's', { atMost: seconds })
    context.report(name('the same without policies, and as many Jobs'), least, 's')
    context.report(name('Jobs started'), started.length, '', { atLeast: count, atMost: count })
    const once = fleet
      .ledgers()
      .filter(({ hooks }) => hooks.every(({ attempts, state }) => attempts === 1 && state === 'Succeeded'))
    context.report(name('hooks with exactly one attempt'), once.length, '', { atLeast: count, atMost: count })
    context.report(name('CPU'), used, 's')
    context.report(name('peak RSS'), operator.memory().peak / 1e6, 'MB')
    context.report(name('writes'), calls.filter(isWrite).length, '')
    context.report(name('conflicts'), calls.filter(({ code }) => code === 409).length, '')
    await fleet.remove()
  } finally {
    await operator.stop()
  }
}
