/** Parts that need real control planes: each gets its own, so that leftovers of one do not affect another. */
import { type Binaries, findOrBuildBinaries } from '../../test/control-plane/binaries.ts'
import type { BenchContext } from '../harness.ts'
import { type BenchCluster, startCluster } from '../rollouts/cluster.ts'
import { eachPart } from './wanted.ts'

/** Starts a cluster, does the work on it and stops it. */
export type OnCluster = <T>(work: (cluster: BenchCluster) => Promise<T>) => Promise<T>

/** For parts with several measurements, each on a new cluster. */
export type ClustersPart = (context: BenchContext, onCluster: OnCluster) => Promise<void>
export type ClusterPart = (context: BenchContext, cluster: BenchCluster) => Promise<void>

export function onOne(part: ClusterPart): ClustersPart {
  return (context, onCluster) => onCluster((cluster) => part(context, cluster))
}

export async function eachWithClusters(
  context: BenchContext,
  parts: Readonly<Record<string, ClustersPart>>,
): Promise<void> {
  const binaries = findOrBuildBinaries()
  if (typeof binaries === 'string') {
    context.leaveOut(`${Object.keys(parts).join(', ')}, for there is no real control plane: ${binaries}`)
    return
  }
  await eachPart(parts, async (part, name) => {
    context.say(name)
    await part(context, (work) => withCluster(binaries, work))
  })
}

async function withCluster<T>(binaries: Binaries, work: (cluster: BenchCluster) => Promise<T>): Promise<T> {
  const cluster = await startCluster(binaries)
  try {
    return await work(cluster)
  } finally {
    await cluster.stop()
  }
}
