/** What a rollout costs the operator when there were many before it, beside the first ones. */
import type { BenchContext } from '../harness.ts'
import { medianOf } from '../harness.ts'
import { isWrite } from './audit.ts'
import { type BenchCluster, operatorUser } from './cluster.ts'
import { Fleet } from './fleet.ts'
import { pod } from './objects.ts'
import { Operator } from './operator.ts'

const deployments = 5
const last = 20

interface Cost {
  readonly cpu: number
  readonly writes: number
}

export async function history(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const operator = await Operator.start(cluster.operatorKubeconfig)
  try {
    // A program gets faster while it runs, and that must not pass for a rollout that gets cheaper.
    await costs(cluster, operator, 'warm-up')
    const measured = await costs(cluster, operator, 'history')
    const [early, late] = [measured.slice(0, 3), measured.slice(-3)]
    const of = (some: readonly Cost[], what: keyof Cost) => medianOf(some.map((cost) => cost[what]))
    context.report('CPU of a rollout, revision 2', (of(early, 'cpu') / deployments) * 1000, 'ms')
    context.report(`CPU of a rollout, revision ${last} vs 2`, of(late, 'cpu') / of(early, 'cpu'), '×', { atMost: 1.1 })
    context.report(`writes of a rollout, revision ${last} vs 2`, of(late, 'writes') / of(early, 'writes'), '×', {
      atMost: 1.1,
    })
  } finally {
    await operator.stop()
  }
}

/** What each revision from the second to the last cost. */
async function costs(cluster: BenchCluster, operator: Operator, namespace: string): Promise<readonly Cost[]> {
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`)
  const fleet = await Fleet.create(cluster, { namespace, names, replicas: 2, hooks: [pod('before', 0)] })
  const found: Cost[] = []
  while (fleet.revision < last) {
    await writesUntilStill(cluster)
    const cpu = operator.cpu()
    await fleet.change()
    await fleet.completed()
    await fleet.tidied()
    const writes = await writesUntilStill(cluster)
    found.push({ cpu: operator.cpu() - cpu, writes })
  }
  await fleet.remove()
  return found
}

/** Events, journal and the removal of ended hooks follow a rollout at leisure: what belongs to one must not be counted for the next. */
async function writesUntilStill({ audit, runtime }: BenchCluster): Promise<number> {
  let writes = 0
  for (let more = 1; more > 0; writes += more) {
    await runtime.clock.sleep(1000)
    more = audit.take().filter((call) => call.user === operatorUser && isWrite(call)).length
  }
  return writes
}
