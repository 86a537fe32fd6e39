/**
 * Deploy items on a real control plane, with the built program and its defaults as the operator; and the hook executor alone.
 * CARABINER_BENCH_PARTS names the parts to run: hooks, items, many, unreachable.
 */
import { hooks } from './deployers/hooks.ts'
import { items } from './deployers/items.ts'
import { many } from './deployers/many.ts'
import { unreachable } from './deployers/unreachable.ts'
import type { Bench } from './harness.ts'
import { eachWithClusters, onOne } from './parts/clusters.ts'
import { eachPart } from './parts/wanted.ts'

const bench: Bench = {
  name: 'deployers',
  async run(context) {
    await eachPart({ hooks }, (part) => part(context))
    await eachWithClusters(context, { items: onOne(items), many: onOne(many), unreachable: onOne(unreachable) })
  },
}
export default bench
