/**
 * Rollouts with hooks on a real control plane, the operator being the built program with its defaults. CARABINER_BENCH_PARTS names the
 * parts to run: single, history, storm, rest.
 */
import { findOrBuildBinaries } from '../test/control-plane/binaries.ts'
import type { Bench, BenchContext } from './harness.ts'
import { startCluster } from './rollouts/cluster.ts'
import { history } from './rollouts/history.ts'
import { rest } from './rollouts/rest.ts'
import { single } from './rollouts/single.ts'
import { storm } from './rollouts/storm.ts'

async function run(context: BenchContext): Promise<void> {
  const binaries = findOrBuildBinaries()
  if (typeof binaries === 'string') {
    context.say(`left out, for there is no real control plane: ${binaries}`)
    return
  }
  const wanted = process.env['CARABINER_BENCH_PARTS']?.split(',')
  // Each on a control plane of its own, so that none has to live with what another left behind.
  const parts = {
    single,
    history,
    storm: (own: BenchContext, cluster: Parameters<typeof storm>[1]) => storm(own, cluster, 100, 15),
    storm300: (own: BenchContext, cluster: Parameters<typeof storm>[1]) => storm(own, cluster, 300, 45),
    rest,
  }
  for (const [name, part] of Object.entries(parts)) {
    if (wanted !== undefined && !wanted.includes(name)) continue
    context.say(name)
    const cluster = await startCluster(binaries)
    try {
      await part(context, cluster)
    } finally {
      await cluster.stop()
    }
  }
}

const bench: Bench = { name: 'rollouts', run }
export default bench
