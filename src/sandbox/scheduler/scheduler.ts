/**
 * The reconcile loop of the scheduler: schedules pods one after another. A binding is assumed in the cache before the
 * API server confirms it, so that the next pod takes it into account.
 */
import { type CacheChange, isConflict, isNotFound, keyOf } from '../../kube/index.ts'
import { type Binding, type Condition, type Node, type Pod, resources } from '../../kube/kinds/index.ts'
import { event } from '../controllers/decisions/decision.ts'
import type { Controller, ControllerContext, Enqueue } from '../controllers/loop/controller.ts'
import { isFinished, podCondition } from '../controllers/pods/state.ts'
import { timestamp } from '../kinds/time.ts'
import { SchedulerCache } from './scheduler-cache.ts'
import { selectNode } from './select-node.ts'

export const defaultSchedulerName = 'default-scheduler'

export function scheduler({ client, informers, runtime, record }: ControllerContext): Controller {
  const pods = informers.of<Pod>(resources.pods)
  const nodes = informers.of<Node>(resources.nodes)
  const cache = new SchedulerCache()
  /** Keys of unschedulable pods; they are retried after any change that could help. */
  const unschedulable = new Set<string>()

  function isOurs(pod: Pod): boolean {
    return (
      !pod.spec.nodeName &&
      !isFinished(pod) &&
      pod.metadata.deletionTimestamp === undefined &&
      (pod.spec.schedulerName ?? defaultSchedulerName) === defaultSchedulerName
    )
  }

  function retryUnschedulable(enqueue: Enqueue): void {
    for (const key of unschedulable) enqueue(key)
  }

  function podChanged(change: CacheChange<Pod>, enqueue: Enqueue): void {
    const pod = change.type === 'deleted' ? change.previous : change.value
    const uid = pod.metadata.uid ?? ''
    const { nodeName } = pod.spec
    if (change.type === 'deleted' || isFinished(pod)) {
      const wasAssigned = cache.has(uid)
      cache.remove(uid)
      unschedulable.delete(change.key)
      if (wasAssigned) retryUnschedulable(enqueue)
    } else if (nodeName) {
      cache.put(uid, pod, nodeName)
      unschedulable.delete(change.key)
    } else if (isOurs(pod)) {
      // The PodScheduled condition is written by this controller and does not change where the pod fits.
      const gated = change.type === 'updated' && (change.previous.spec.schedulingGates ?? []).length > 0
      if (change.type === 'added' || gated) enqueue(change.key)
    }
  }

  async function setUnscheduled(pod: Pod, reason: string, message: string): Promise<void> {
    const current = podCondition(pod, 'PodScheduled')
    if (current?.status === 'False' && current.reason === reason && current.message === message) return
    const condition: Condition = {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime:
        current?.status === 'False' ? (current.lastTransitionTime ?? '') : timestamp(runtime.clock.now()),
      reason,
      message,
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    }
    const { name, namespace = '' } = pod.metadata
    const value = { status: { conditions: [condition] } }
    const as = { namespace, subresource: 'status', fieldManager: 'kube-scheduler' }
    await client.of(resources.pods).patch(name, { type: 'strategic', value }, as)
  }

  async function bind(pod: Pod, node: string): Promise<void> {
    const { name, namespace = '', uid = '' } = pod.metadata
    const binding: Binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    }
    cache.put(uid, pod, node)
    try {
      await client.of<Binding>(resources.pods).create(binding, { subresource: 'binding' })
    } catch (error) {
      if (pods.get(keyOf(pod))?.spec.nodeName === undefined) cache.remove(uid)
      if (isNotFound(error) || isConflict(error)) return
      throw error
    }
    record(event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node}`))
  }

  return {
    name: defaultSchedulerName,
    workers: 16,
    watch(enqueue) {
      pods.subscribe((change) => podChanged(change, enqueue))
      nodes.subscribe(() => retryUnschedulable(enqueue))
      for (const key of pods.keys()) {
        const value = pods.get(key)
        if (value !== undefined) podChanged({ type: 'added', key, value }, enqueue)
      }
    },
    async sync(key) {
      const pod = pods.get(key)
      if (pod === undefined || !isOurs(pod) || cache.has(pod.metadata.uid ?? '')) return undefined
      if ((pod.spec.schedulingGates ?? []).length > 0) return undefined
      const placement = selectNode(pod, Array.from(nodes.values()), (node) => cache.on(node))
      if (placement.node !== undefined) {
        unschedulable.delete(key)
        await bind(pod, placement.node)
        return undefined
      }
      unschedulable.add(key)
      record(event(pod, 'Warning', 'FailedScheduling', placement.message))
      await setUnscheduled(pod, 'Unschedulable', placement.message)
      return undefined
    },
  }
}
