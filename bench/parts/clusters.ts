/** Parts that each need a control plane of their own, so that none has to live with what another left behind. */
import { findOrBuildBinaries } from '../../test/control-plane/binaries.ts'
import type { BenchContext } from '../harness.ts'
import { type BenchCluster, startCluster } from '../rollouts/cluster.ts'
import { eachPart } from './wanted.ts'

export type ClusterPart = (context: BenchContext, cluster: BenchCluster) => Promise<void>

export async function eachOnItsOwnCluster(
  context: BenchContext,
  parts: Readonly<Record<string, ClusterPart>>,
): Promise<void> {
  const binaries = findOrBuildBinaries()
  if (typeof binaries === 'string') {
    context.leaveOut(`${Object.keys(parts).join(', ')}, for there is no real control plane: ${binaries}`)
    return
  }
  await eachPart(parts, async (part, name) => {
    context.say(name)
    const cluster = await startCluster(binaries)
    try {
      await part(context, cluster)
    } finally {
      await cluster.stop()
    }
  })
}
