/**
 * Rollouts with hooks on a real control plane, with the built program and its defaults as the operator. CARABINER_BENCH_PARTS names the
 * parts to run: single, history, storm, storm300, rest.
 */
import type { Bench } from './harness.ts'
import { eachWithClusters, onOne } from './parts/clusters.ts'
import { terms } from './rollouts/cluster.ts'
import { history } from './rollouts/history.ts'
import { rest } from './rollouts/rest.ts'
import { single } from './rollouts/single.ts'
import { storm } from './rollouts/storm.ts'

const bench: Bench = {
  name: 'rollouts',
  run(context) {
    context.say(`the cluster, with and without the operator: ${terms}`)
    return eachWithClusters(context, {
      single: onOne(single),
      history: onOne(history),
      storm: (own, onCluster) => storm(own, onCluster, 100, 15),
      storm300: (own, onCluster) => storm(own, onCluster, 300, 45),
      rest: onOne(rest),
    })
  },
}
export default bench
