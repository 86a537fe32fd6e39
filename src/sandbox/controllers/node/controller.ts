/** The node lifecycle controller: watches leases, taints unreachable nodes and evicts pods without tolerations. */
import { isNotFound } from '../../../kube/index.ts'
import { type Lease, type Node, type Pod, resources, type Taint, type Toleration } from '../../../kube/kinds/index.ts'
import { tolerates } from '../../kinds/taints.ts'
import { instantOf } from '../../kinds/time.ts'
import { event } from '../decisions/decision.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { decideNode } from './decide.ts'

const leaseNamespace = 'kube-node-lease'

/** Milliseconds until a pod on a node with these taints is evicted: 0 for now, infinity for never. */
export function toleratedFor(taints: readonly Taint[], tolerations: readonly Toleration[], now: number): number {
  let left = Number.POSITIVE_INFINITY
  for (const taint of taints) {
    if (taint.effect !== 'NoExecute') continue
    const matching = tolerations.filter((toleration) => tolerates(toleration, taint))
    if (matching.length === 0) return 0
    const added = instantOf(taint.timeAdded) ?? now
    for (const { tolerationSeconds } of matching) {
      if (tolerationSeconds !== undefined) left = Math.min(left, Math.max(0, added + tolerationSeconds * 1000 - now))
    }
  }
  return left
}

export function nodeController({ client, informers, runtime, record }: ControllerContext): Controller {
  const nodes = informers.of<Node>(resources.nodes)
  const leases = informers.of<Lease>(resources.leases)
  const pods = informers.of<Pod>(resources.pods)
  const handle = client.of(resources.nodes)

  /** Evicts pods without tolerations; returns the milliseconds until the next check. */
  async function evict(node: Node): Promise<number> {
    const taints = node.spec?.taints ?? []
    let next = Number.POSITIVE_INFINITY
    for (const pod of taints.some(({ effect }) => effect === 'NoExecute')
      ? pods.by(indexNames.node, node.metadata.name)
      : []) {
      if (pod.metadata.deletionTimestamp !== undefined) continue
      const left = toleratedFor(taints, pod.spec.tolerations ?? [], runtime.clock.now())
      if (left > 0) {
        next = Math.min(next, left)
        continue
      }
      const { name, namespace = '', uid = '' } = pod.metadata
      record(event(pod, 'Normal', 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`))
      try {
        await client.of(resources.pods).delete(name, { namespace, preconditions: { uid } })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
    return next
  }

  return {
    name: 'node-controller',
    watch(enqueue) {
      enqueueAll(nodes, enqueue)
      leases.subscribe(({ key }) => {
        const [namespace, name = ''] = key.split('/')
        if (namespace === leaseNamespace) enqueue(name)
      })
    },
    async sync(key) {
      const node = nodes.get(key)
      if (node === undefined) return undefined
      const decision = decideNode(node, leases.get(`${leaseNamespace}/${key}`), runtime.clock.now())
      if (decision.conditions !== undefined) {
        const value = { status: { conditions: decision.conditions } }
        await handle.patch(key, { type: 'strategic', value }, { subresource: 'status' })
        record(event(node, 'Normal', 'NodeNotReady', `Node ${key} status is now: NodeNotReady`))
      }
      if (decision.taints !== undefined) {
        const { resourceVersion } = await handle.get(key).then(({ metadata }) => metadata)
        const value = {
          metadata: { resourceVersion },
          spec: { taints: decision.taints.length === 0 ? null : decision.taints },
        }
        await handle.patch(key, { type: 'merge', value })
      }
      const next = Math.min(await evict(node), decision.requeueAfterMs ?? Number.POSITIVE_INFINITY)
      return Number.isFinite(next) ? { requeueAfterMs: next } : undefined
    },
  }
}
