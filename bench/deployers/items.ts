/** 500 manifest items of five objects each, from create to Succeeded, then again without a change, then a restart. */
import type { BenchContext } from '../harness.ts'
import type { BenchCluster } from '../rollouts/cluster.ts'
import { count, Fleet, kubeconfigInside, namesOf, startDeployers } from './fleet.ts'
import { manifestItem, objectsPerItem } from './manifest.ts'

const amount = 500
/** Milliseconds after which no further write is expected. */
const settle = 3000

export async function items(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const { clock } = cluster.runtime
  const name = (what: string) => `${amount} items of ${objectsPerItem} objects: ${what}`
  const operator = await startDeployers(cluster, ['manifest'])
  const names = namesOf('item', amount)
  try {
    const fleet = await Fleet.in(cluster, 'items')
    await fleet.target('here', kubeconfigInside(cluster.operatorKubeconfig))
    await clock.sleep(settle)
    cluster.audit.take()
    const cpu = operator.cpu()
    const begun = performance.now()
    await fleet.create(names, manifestItem('here'))
    await fleet.succeeded(names)
    const seconds = (performance.now() - begun) / 1000
    const used = operator.cpu() - cpu
    await clock.sleep(settle)
    const first = count(cluster.audit.take())
    context.report(name('create to Succeeded'), amount / seconds, 'items/s', { atLeast: 50 })
    context.report(name('writes per item besides the objects'), first.own / amount, '', { atMost: 6 })
    context.report(name('writes of objects per item'), first.objects / amount, '')
    context.report(name('reads per item'), first.reads / amount, '')
    context.report(name('conflicts'), first.conflicts, '')
    context.report(name('CPU'), used, 's')
    context.say(JSON.stringify(first.kinds))
    const since = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString()
    await fleet.annotate(names, { 'landscaper.gardener.cloud/operation': 'reconcile' })
    await fleet.until(
      names,
      ({ status, metadata }) =>
        status?.phase === 'Succeeded' &&
        Date.parse(status.lastReconcileTime ?? '') >= Date.parse(since) &&
        metadata.annotations?.['landscaper.gardener.cloud/operation'] === undefined,
    )
    await clock.sleep(settle)
    const again = count(cluster.audit.take())
    context.report(name('writes of objects when reconciled without a change'), again.objects, '', { atMost: 0 })
    context.report(name('writes per item when reconciled without a change'), again.own / amount, '', { atMost: 6 })
    const { now, peak } = operator.memory()
    context.report(name('RSS'), now / 1e6, 'MB')
    context.report(name('peak RSS'), peak / 1e6, 'MB')
  } finally {
    await operator.stop()
  }
  cluster.audit.take()
  const second = await startDeployers(cluster, ['manifest'])
  try {
    await clock.sleep(2 * settle)
    const { own, objects } = count(
      cluster.audit.take().filter(({ resource }) => resource !== 'customresourcedefinitions'),
    )
    context.report(name('writes after a restart'), own + objects, '', { atMost: 0 })
  } finally {
    await second.stop()
  }
}
