/** 1,000 items with a deployer that does almost nothing: the cost of the contract itself. */
import type { BenchContext } from '../harness.ts'
import type { BenchCluster } from '../rollouts/cluster.ts'
import { count, Fleet, namesOf, startDeployers } from './fleet.ts'

const amount = 1000

export async function many(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const operator = await startDeployers(cluster, ['mock'])
  try {
    const fleet = await Fleet.in(cluster, 'many')
    await cluster.runtime.clock.sleep(3000)
    cluster.audit.take()
    const names = namesOf('item', amount)
    const begun = performance.now()
    await fleet.create(names, () => ({
      type: 'landscaper.gardener.cloud/mock',
      config: { apiVersion: 'mock.deployer.landscaper.gardener.cloud/v1alpha1', kind: 'ProviderConfiguration' },
    }))
    await fleet.succeeded(names)
    const seconds = (performance.now() - begun) / 1000
    await cluster.runtime.clock.sleep(2000)
    const { own, kinds } = count(cluster.audit.take())
    const name = (what: string) => `${amount} items, one deployer: ${what}`
    context.report(name('create to Succeeded'), amount / seconds, 'items/s', { atLeast: 50 })
    context.report(name('writes per item'), own / amount, '', { atMost: 6 })
    context.report(name('peak RSS'), operator.memory().peak / 1e6, 'MB')
    context.say(JSON.stringify(kinds))
  } finally {
    await operator.stop()
  }
}
