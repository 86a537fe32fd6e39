/** Items whose target does not answer must not slow the others: the same items alone, then among as many that cannot be installed. */
import type { BenchContext } from '../harness.ts'
import type { BenchCluster } from '../rollouts/cluster.ts'
import { Fleet, kubeconfigInside, namesOf, startDeployers } from './fleet.ts'
import { manifestItem } from './manifest.ts'

const amount = 100

export async function unreachable(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const operator = await startDeployers(cluster, ['manifest'])
  try {
    const fleet = await Fleet.in(cluster, 'mixed')
    const kubeconfig = kubeconfigInside(cluster.operatorKubeconfig)
    await fleet.target('here', kubeconfig)
    // An address that is kept for documents: nobody ever answers.
    await fleet.target('nowhere', kubeconfig.replaceAll(/https:\/\/[^"]+/g, 'https://192.0.2.1:6443'))
    await cluster.runtime.clock.sleep(3000)
    const time = async (prefix: string) => {
      const names = namesOf(prefix, amount)
      const begun = performance.now()
      await fleet.create(names, manifestItem('here'))
      await fleet.succeeded(names)
      return (performance.now() - begun) / 1000
    }
    await time('warm')
    const alone = await time('alone')
    await fleet.create(namesOf('lost', amount), manifestItem('nowhere'))
    const among = await time('among')
    context.report(`${amount} items alone`, alone, 's')
    context.report(`${amount} items among as many with an unreachable target`, among, 's')
    context.report('slower by the unreachable target', among / alone, '×', { atMost: 1.5 })
    await fleet.stop()
  } finally {
    await operator.stop()
  }
}
