/**
 * One Deployment of ten pods with a hook before the first pod and one at half, rolled again and again: how soon the operator continues
 * after a hook, what it writes, and the total time compared with that of the hooks and native controllers alone.
 */
import type { BenchContext } from '../harness.ts'
import { medianOf } from '../harness.ts'
import { type Call, isWrite, measuredNamespaces, repeatedReads } from './audit.ts'
import { type BenchCluster, operatorUser } from './cluster.ts'
import { Fleet, type FleetOptions } from './fleet.ts'
import { job, pod } from './objects.ts'
import { Operator } from './operator.ts'
import { quantile } from './statistics.ts'

const rollouts = 30
const warmUps = 3
const replicas = 10

interface Rollout {
  /** Milliseconds from the change to the end. */
  readonly total: number
  /** Milliseconds during which hooks ran. */
  readonly hooks: number
  /** Milliseconds from the end of a hook to the next write. */
  readonly reactions: readonly number[]
  readonly calls: readonly Call[]
}

export async function single(context: BenchContext, cluster: BenchCluster): Promise<void> {
  const operator = await Operator.start(cluster.operatorKubeconfig)
  try {
    const native = await nativeRollout(cluster)
    context.report(`one Deployment of ${replicas} without hooks: patch → complete`, native, 'ms')
    for (const [name, hook] of [['Job', job] as const, ['execNewPod', pod] as const]) {
      const done = await rollAgain(cluster, measuredNamespaces[name], [hook('before', 0), hook('half', '50%')])
      report(context, name, done, native)
    }
  } finally {
    await operator.stop()
  }
}

/** The median of the same rollout without a policy. */
async function nativeRollout(cluster: BenchCluster): Promise<number> {
  const options = { namespace: 'native', names: ['web'], replicas, hooks: undefined }
  const fleet = await Fleet.create(cluster, options)
  const times: number[] = []
  for (let index = 0; index < 10; index++) {
    const begun = performance.now()
    await fleet.change()
    await fleet.rolled()
    times.push(performance.now() - begun)
  }
  await fleet.remove()
  return medianOf(times)
}

async function rollAgain(
  cluster: BenchCluster,
  namespace: string,
  hooks: FleetOptions['hooks'],
): Promise<readonly Rollout[]> {
  const fleet = await Fleet.create(cluster, { namespace, names: ['web'], replicas, hooks })
  const done: Rollout[] = []
  for (let index = 0; index < warmUps + rollouts; index++) {
    await cluster.runtime.clock.sleep(300)
    cluster.audit.take()
    const begun = performance.now()
    await fleet.change()
    await fleet.completed()
    const total = performance.now() - begun
    await fleet.tidied()
    await cluster.runtime.clock.sleep(300)
    const calls = cluster.audit.take().filter((call) => call.namespace === namespace)
    if (index >= warmUps) done.push(rolloutOf(total, calls))
  }
  await fleet.remove()
  return done
}

function rolloutOf(total: number, all: readonly Call[]): Rollout {
  const calls = all.filter(({ user }) => user === operatorUser)
  const writes = calls.filter(isWrite)
  const ends = all.filter(isEndOfHook)
  const starts = writes.filter(({ verb, resource }) => verb === 'create' && ['jobs', 'pods'].includes(resource))
  const took = ends.map(
    (end) => end.answeredAt - (starts.find(({ name }) => name === end.name)?.receivedAt ?? Number.NaN),
  )
  const reactions = ends.map(({ answeredAt }) => {
    const next = writes.filter(({ receivedAt }) => receivedAt > answeredAt).map(({ receivedAt }) => receivedAt)
    return Math.min(...next) - answeredAt
  })
  return { total, hooks: took.reduce((sum, one) => sum + one, 0), reactions, calls }
}

interface Ended {
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

/** The write that completes a Job, or with which the pod of a hook succeeds. */
function isEndOfHook({ resource, subresource, namespace, user, body, code }: Call): boolean {
  if (user === operatorUser || subresource !== 'status' || code >= 300) return false
  const { phase, conditions = [] } = (body as Ended | undefined)?.status ?? {}
  // The pod of a Job is ignored: the Job has ended when its own status says so.
  if (resource === 'pods') return phase === 'Succeeded' && namespace === measuredNamespaces.execNewPod
  return conditions.some(({ type, status }) => type === 'Complete' && status === 'True')
}

function report(context: BenchContext, hook: string, done: readonly Rollout[], native: number): void {
  const name = (what: string) => `one Deployment of ${replicas}, two hooks (${hook}): ${what}`
  const reactions = done.flatMap((rollout) => rollout.reactions)
  context.report(name('hook finished → next write, p50'), quantile(reactions, 0.5), 'ms', { atMost: 30 })
  context.report(name('hook finished → next write, p99'), quantile(reactions, 0.99), 'ms', { atMost: 100 })
  const most = (test: (call: Call) => boolean) => Math.max(...done.map(({ calls }) => calls.filter(test).length))
  context.report(name('writes, most'), most(isWrite), '', { atMost: 16 })
  context.report(name('polling reads, most'), Math.max(...done.map(({ calls }) => repeatedReads(calls))), '', {
    atMost: 0,
  })
  context.report(
    name('conflicts, most'),
    most(({ code }) => code === 409),
    '',
    { atMost: 0 },
  )
  const total = medianOf(done.map((rollout) => rollout.total))
  const hooks = medianOf(done.map((rollout) => rollout.hooks))
  context.report(name('patch → complete'), total, 'ms')
  context.report(name('of which hooks'), hooks, 'ms')
  context.report(name('beyond hooks and the rollout itself'), total - hooks - native, 'ms', { atMost: 300 })
}
