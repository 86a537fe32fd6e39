/**
 * The kubelets of this process: each pod bound to one of their nodes gets a worker, and its status is written to the
 * API server.
 */

import type { ReconcileResult } from '../../kube/controller/index.ts'
import { type Cache, type CacheChange, isConflict, isNotFound, type KubeClient } from '../../kube/index.ts'
import { type Pod, type PodStatus, resources } from '../../kube/kinds/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import type { Controller, Enqueue } from '../controllers/loop/controller.ts'
import type { Recorder } from '../controllers/loop/perform.ts'
import { isFinished } from '../controllers/pods/state.ts'
import type { Engine } from './engine.ts'
import type { References } from './pod/references.ts'
import { type Host, sameStatus } from './pod/status.ts'
import { failedMount } from './pod/volumes.ts'
import { PodWorker, type WorkerContext } from './worker.ts'

/**
 * How long the first status write is delayed while containers are being created: most of them start within this time,
 * which saves one write.
 */
const creationWriteDelayMs = 100

export interface KubeletOptions {
  readonly client: KubeClient
  readonly pods: Cache<Pod>
  readonly runtime: Runtime
  readonly engine: Engine
  readonly references: References
  /** Keyed by node name. */
  readonly hosts: ReadonlyMap<string, Host>
  readonly recordOn: (host: string) => Recorder
  readonly areContainersLost: boolean
}

export interface Kubelet {
  readonly controller: Controller
  /** Kills all containers without writing their status. */
  killAll(): Promise<void>
}

export function kubelet(options: KubeletOptions): Kubelet {
  const { client, pods, runtime, engine, references, hosts } = options
  const workers = new Map<string, PodWorker>()
  const contexts = new Map<string, WorkerContext>()
  const handle = client.of(resources.pods)
  let nextAddress = 1
  let enqueueKey: Enqueue | undefined

  const isOurs = (pod: Pod) => hosts.has(pod.spec.nodeName ?? '')
  const at = (pod: Pod) => ({ namespace: pod.metadata.namespace ?? '' })

  function contextOf(name: string): WorkerContext {
    const existing = contexts.get(name)
    if (existing !== undefined) return existing
    const host = hosts.get(name) ?? { name, address: '' }
    const changed = (key: string) => enqueueKey?.(key)
    const { areContainersLost } = options
    const context = { clock: runtime.clock, engine, host, areContainersLost, record: options.recordOn(name), changed }
    contexts.set(name, context)
    return context
  }

  function workerOf(key: string, pod: Pod): PodWorker {
    const existing = workers.get(key)
    if (existing !== undefined) return existing
    const context = contextOf(pod.spec.nodeName ?? '')
    const number = nextAddress++
    const { address } = context.host
    const podIP = pod.spec.hostNetwork === true ? address : `10.244.${(number >> 8) & 255}.${number & 255}`
    const worker = new PodWorker(context, key, pod, podIP)
    workers.set(key, worker)
    return worker
  }

  /** The pod was deleted, or another pod has its name. */
  function removeWorker(key: string): void {
    const worker = workers.get(key)
    if (worker === undefined) return
    workers.delete(key)
    void worker.kill()
  }

  async function writeStatus(pod: Pod, worker: PodWorker, final: boolean): Promise<void> {
    const status = worker.status(pod, final)
    if (sameStatus(worker.writtenStatus ?? pod.status, status)) return
    const { name, uid } = pod.metadata
    const value = { metadata: { uid }, status: withRemovals(status) }
    await handle.patch(name, { type: 'strategic', value }, { ...at(pod), subresource: 'status', answer: 'metadata' })
    worker.writtenStatus = status
  }

  async function finish(pod: Pod): Promise<void> {
    const { name, uid = '' } = pod.metadata
    await handle.delete(name, { ...at(pod), gracePeriodSeconds: 0, preconditions: { uid } })
  }

  async function terminate(key: string, pod: Pod): Promise<void> {
    // The API server removes it with this write or with its last finalizer.
    if (isFinished(pod) && pod.metadata.deletionGracePeriodSeconds === 0) return
    if (isFinished(pod) && !workers.has(key)) {
      await finish(pod)
      return
    }
    const worker = workerOf(key, pod)
    if (worker.isDeleted) return
    worker.stop(pod, pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30)
    if (!worker.isIdle) return
    // Without finalizers the pod is removed immediately, so its final status need not be written.
    if ((pod.metadata.finalizers ?? []).length > 0) await writeStatus(pod, worker, true)
    worker.isDeleted = true
    try {
      await finish(pod)
    } catch (error) {
      worker.isDeleted = false
      throw error
    }
  }

  async function sync(key: string): Promise<ReconcileResult | undefined> {
    const pod = pods.get(key)
    const worker = workers.get(key)
    if (worker !== undefined && worker.uid !== pod?.metadata.uid) removeWorker(key)
    if (pod === undefined || !isOurs(pod)) return undefined
    if (pod.metadata.deletionTimestamp !== undefined) {
      await terminate(key, pod)
      return undefined
    }
    if (isFinished(pod) && !workers.has(key)) return undefined
    const ours = workerOf(key, pod)
    if (!ours.isMounted) ours.mounted(pod, await failedMount(pod, references))
    const requeueAfterMs = ours.advance(pod)
    const creationDelayMs = ours.createdAt + creationWriteDelayMs - runtime.clock.now()
    if (ours.isBeingCreated && creationDelayMs > 0)
      return { requeueAfterMs: Math.min(creationDelayMs, requeueAfterMs ?? creationDelayMs) }
    await writeStatus(pod, ours, false)
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs }
  }

  const controller: Controller = {
    name: 'kubelet',
    workers: 32,
    watch(enqueue) {
      enqueueKey = enqueue
      pods.subscribe((change) => {
        if (change.type === 'deleted') enqueue(change.key)
        else if (isOurs(change.value) && !isOwnWrite(change, workers.get(change.key))) enqueue(change.key)
      })
      for (const [key, pod] of entriesOf(pods)) if (isOurs(pod)) enqueue(key)
    },
    async sync(key) {
      try {
        return await sync(key)
      } catch (error) {
        // The pod was deleted or replaced; the watch reports it.
        if (isNotFound(error) || isConflict(error)) return undefined
        throw error
      }
    },
  }
  return {
    controller,
    async killAll() {
      await Promise.all(Array.from(workers.values(), (worker) => worker.kill()))
      workers.clear()
    },
  }
}

/** Whether a change contains only what the worker wrote itself. */
function isOwnWrite(
  change: CacheChange<Pod> & { readonly type: 'added' | 'updated' },
  worker: PodWorker | undefined,
): boolean {
  if (change.type === 'added' || worker?.writtenStatus === undefined) return false
  const { value, previous } = change
  const touched =
    value.metadata.uid !== worker.uid ||
    value.metadata.generation !== previous.metadata.generation ||
    value.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    value.metadata.deletionGracePeriodSeconds !== previous.metadata.deletionGracePeriodSeconds
  if (touched || value.spec.readinessGates !== undefined || !sameStatus(value.status, worker.writtenStatus))
    return false
  // Share one copy of the status.
  worker.writtenStatus = value.status
  return true
}

/** A strategic merge patch keeps fields that are not mentioned, so absent reasons and messages are removed with null. */
function withRemovals(status: PodStatus): object {
  const conditions = status.conditions?.map((condition) => ({ reason: null, message: null, ...condition }))
  return { reason: null, message: null, ...status, conditions }
}

function* entriesOf<T>(cache: Cache<T>): Generator<[string, T]> {
  for (const key of cache.keys()) {
    const value = cache.get(key)
    if (value !== undefined) yield [key, value]
  }
}
