/**
 * Deploy items on a real control plane, the operator being the built program with its defaults, and the hook executor alone.
 * CARABINER_BENCH_PARTS names the parts to run: hooks, items, many, unreachable.
 */
import { findOrBuildBinaries } from '../test/control-plane/binaries.ts'
import { hooks } from './deployers/hooks.ts'
import { items } from './deployers/items.ts'
import { many } from './deployers/many.ts'
import { unreachable } from './deployers/unreachable.ts'
import type { Bench, BenchContext } from './harness.ts'
import { startCluster } from './rollouts/cluster.ts'

async function run(context: BenchContext): Promise<void> {
  const wanted = process.env['CARABINER_BENCH_PARTS']?.split(',')
  const isWanted = (name: string) => wanted?.includes(name) ?? true
  if (isWanted('hooks')) hooks(context)
  const binaries = findOrBuildBinaries()
  if (typeof binaries === 'string') {
    context.say(`the rest is left out, for there is no real control plane: ${binaries}`)
    return
  }
  for (const [name, part] of Object.entries({ items, many, unreachable })) {
    if (!isWanted(name)) continue
    context.say(name)
    const cluster = await startCluster(binaries)
    try {
      await part(context, cluster)
    } finally {
      await cluster.stop()
    }
  }
}

const bench: Bench = { name: 'deployers', run }
export default bench
