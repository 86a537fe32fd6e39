/**
 * The scheduler's loop: pods without a node, one after the other; a placement is booked before the server has heard of it, so that the
 * next pod sees it.
 */
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { keyOf } from '../../kube/object.ts'
import type { CacheChange } from '../../kube/reflector/cache.ts'
import { resources } from '../../kube/types.ts'
import { event } from '../controllers/decisions/decision.ts'
import type { Controller, ControllerContext, Enqueue } from '../controllers/loop/controller.ts'
import { isFinished, podCondition } from '../controllers/pods/state.ts'
import type { Binding, Node } from '../kinds/cluster.ts'
import type { Pod, PodCondition } from '../kinds/pod.ts'
import { timestamp } from '../kinds/time.ts'
import { place } from './decide.ts'
import { Ledger } from './ledger.ts'

export const defaultSchedulerName = 'default-scheduler'

export function scheduler({ client, informers, runtime, record }: ControllerContext): Controller {
  const pods = informers.of<Pod>(resources.pods)
  const nodes = informers.of<Node>(resources.nodes)
  const ledger = new Ledger()
  /** Keys of pods that found no place; any change for the better tries them again. */
  const waiting = new Set<string>()

  function isOurs(pod: Pod): boolean {
    return (
      !pod.spec.nodeName &&
      !isFinished(pod) &&
      pod.metadata.deletionTimestamp === undefined &&
      (pod.spec.schedulerName ?? defaultSchedulerName) === defaultSchedulerName
    )
  }

  function retryWaiting(enqueue: Enqueue): void {
    for (const key of waiting) enqueue(key)
  }

  function podChanged(change: CacheChange<Pod>, enqueue: Enqueue): void {
    const pod = change.type === 'deleted' ? change.previous : change.value
    const uid = pod.metadata.uid ?? ''
    const { nodeName } = pod.spec
    if (change.type === 'deleted' || isFinished(pod)) {
      const booked = ledger.has(uid)
      ledger.remove(uid)
      waiting.delete(change.key)
      if (booked) retryWaiting(enqueue)
    } else if (nodeName) {
      ledger.put(uid, pod, nodeName)
      waiting.delete(change.key)
    } else if (isOurs(pod)) {
      // Its own condition is written by us and changes nothing about where it fits.
      const gated = change.type === 'updated' && (change.previous.spec.schedulingGates ?? []).length > 0
      if (change.type === 'added' || gated) enqueue(change.key)
    }
  }

  async function setUnscheduled(pod: Pod, reason: string, message: string): Promise<void> {
    const current = podCondition(pod, 'PodScheduled')
    if (current?.status === 'False' && current.reason === reason && current.message === message) return
    const condition: PodCondition = {
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
    ledger.put(uid, pod, node)
    try {
      await client.of<Binding>(resources.pods).create(binding, { subresource: 'binding' })
    } catch (error) {
      if (pods.get(keyOf(pod))?.spec.nodeName === undefined) ledger.remove(uid)
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
      nodes.subscribe(() => retryWaiting(enqueue))
      for (const key of pods.keys()) {
        const value = pods.get(key)
        if (value !== undefined) podChanged({ type: 'added', key, value }, enqueue)
      }
    },
    async sync(key) {
      const pod = pods.get(key)
      if (pod === undefined || !isOurs(pod) || ledger.has(pod.metadata.uid ?? '')) return undefined
      if ((pod.spec.schedulingGates ?? []).length > 0) return undefined
      const placement = place(pod, Array.from(nodes.values()), (node) => ledger.on(node))
      if (placement.node !== undefined) {
        waiting.delete(key)
        await bind(pod, placement.node)
        return undefined
      }
      waiting.add(key)
      record(event(pod, 'Warning', 'FailedScheduling', placement.message))
      await setUnscheduled(pod, 'Unschedulable', placement.message)
      return undefined
    },
  }
}
