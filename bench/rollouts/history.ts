/** The cost of a rollout after many others, compared with an early one. */
import type { BenchContext } from '../harness.ts'
import { medianOf } from '../harness.ts'
import { isWrite } from './audit.ts'
import { type BenchCluster, operatorUser } from './cluster.ts'
import { Fleet } from './fleet.ts'
import { pod } from './objects.ts'
import { Operator } from './operator.ts'

const deployments = 10
/** The first revision of those that are compared with the second. */
const late = 20
/** The first ones are not counted: a program gets faster while it runs. */
const warmUps = 2
/** On a shared machine a single measurement may be off by a third. */
const rounds = 15

interface Cost {
  readonly cpu: number
  readonly writes: number
}

export async function history(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const operator = await Operator.start(cluster.operatorKubeconfig)
  try {
    const old = await fleetOf(cluster, 'old')
    while (old.revision < late - 1) await rollOut(old)
    const [early, later]: [Cost[], Cost[]] = [[], []]
    for (let round = 0; round < warmUps + rounds; round++) {
      const young = await fleetOf(cluster, `young-${round}`)
      const first = async () => early.push(await costOf(cluster, operator, young))
      const further = async () => later.push(await costOf(cluster, operator, old))
      // Both in each round, in alternating order, so that other load on the machine affects both alike.
      for (const turn of round % 2 === 0 ? [first, further] : [further, first]) await turn()
      await young.remove()
    }
    const of = (some: readonly Cost[], what: keyof Cost) => medianOf(some.slice(warmUps).map((cost) => cost[what]))
    const ratio = (what: keyof Cost) => of(later, what) / of(early, what)
    context.report('CPU of a rollout, revision 2', (of(early, 'cpu') / deployments) * 1000, 'ms')
    context.report(`CPU of a rollout, revision ${late} vs 2`, ratio('cpu'), '×', { atMost: 1.1 })
    context.report(`writes of a rollout, revision ${late} vs 2`, ratio('writes'), '×', { atMost: 1.1 })
  } finally {
    await operator.stop()
  }
}

function fleetOf(cluster: BenchCluster, namespace: string): Promise<Fleet> {
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`)
  return Fleet.create(cluster, { namespace, names, replicas: 2, hooks: [pod('before', 0)] })
}

async function rollOut(fleet: Fleet): Promise<void> {
  await fleet.change()
  await fleet.completed()
}

async function costOf(cluster: BenchCluster, operator: Operator, fleet: Fleet): Promise<Cost> {
  await writesUntilStill(cluster)
  const cpu = operator.cpu()
  await rollOut(fleet)
  await fleet.tidied()
  const writes = await writesUntilStill(cluster)
  return { cpu: operator.cpu() - cpu, writes }
}

/** Events, journal entries and the removal of ended hooks are written in the background after a rollout, and must not be counted for the next one. */
async function writesUntilStill({ audit, runtime }: BenchCluster): Promise<number> {
  let writes = 0
  for (let more = 1; more > 0; writes += more) {
    await runtime.clock.sleep(1000)
    more = audit.take().filter((call) => call.user === operatorUser && isWrite(call)).length
  }
  return writes
}
