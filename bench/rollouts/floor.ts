/**
 * The cost of a storm without the operator: the same Deployments changed at once, without policies, and as many Jobs created at the same time.
 * Nothing waits for anything else, so this is the lower bound for running the hooks.
 */
import { type KubeObject, resources } from '../../src/kube/index.ts'
import { accountFor, type Seconds } from '../processes/account.ts'
import { allocatedBy } from './allocated.ts'
import type { BenchCluster } from './cluster.ts'
import { Fleet } from './fleet.ts'
import { forEach, untilEach } from './follow.ts'
import { job } from './objects.ts'

interface Job extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

const atOnce = 50

export interface Floor {
  /** Until every Deployment is rolled out and every Job complete. */
  readonly seconds: number
  readonly cpu: Seconds
  /** Megabytes that the API server allocated. */
  readonly megabytes: number
}

/** Must be called while no operator runs. */
export async function floor(cluster: BenchCluster, names: readonly string[], replicas: number): Promise<Floor> {
  const { client, runtime } = cluster
  const namespace = `floor-${names.length}`
  const fleet = await Fleet.create(cluster, { namespace, names, replicas, hooks: undefined })
  await runtime.clock.sleep(3000)
  const allocated = await allocatedBy(cluster)
  const account = accountFor(cluster.processes)
  const begun = performance.now()
  const created = forEach(names, atOnce, (name) => client.of<KubeObject>(resources.jobs).create(jobOf(namespace, name)))
  await Promise.all([fleet.change(), created])
  await Promise.all([
    fleet.rolled(),
    untilEach<Job>(cluster, { type: resources.jobs, namespace, names, holds: isComplete }),
  ])
  const seconds = (performance.now() - begun) / 1000
  return { seconds, cpu: account(), megabytes: (await allocatedBy(cluster)) - allocated }
}

function jobOf(namespace: string, name: string): KubeObject & { readonly spec: object } {
  const { jobSpec = {} } = job(name, 0)
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace, name }, spec: jobSpec }
}

function isComplete({ status }: Job): boolean {
  return status?.conditions?.some((one) => one.type === 'Complete' && one.status === 'True') ?? false
}
