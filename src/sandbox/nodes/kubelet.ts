/**
 * The kubelets of this process: every pod bound to one of their nodes gets a worker, and the API server hears what became of it.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import type { Cache, CacheChange } from '../../kube/reflector/cache.ts'
import { resources } from '../../kube/types.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Controller, Enqueue, SyncResult } from '../controllers/loop/controller.ts'
import type { Recorder } from '../controllers/loop/perform.ts'
import { isFinished } from '../controllers/pods/state.ts'
import type { Pod, PodStatus } from '../kinds/pod.ts'
import type { Engine } from './engine.ts'
import { type Host, sameStatus } from './pod/status.ts'
import { PodWorker, type WorkerContext } from './worker.ts'

/** Milliseconds in which containers that are being created are not worth a write: most of them run before it would be read. */
const creationPatience = 100

export interface KubeletOptions {
  readonly client: KubeClient
  readonly pods: Cache<Pod>
  readonly runtime: Runtime
  readonly engine: Engine
  /** By name. */
  readonly hosts: ReadonlyMap<string, Host>
  readonly recordOn: (host: string) => Recorder
}

export interface Kubelet {
  readonly controller: Controller
  /** Ends all containers at once, without a word to the server. */
  abandon(): Promise<void>
}

export function kubelet(options: KubeletOptions): Kubelet {
  const { client, pods, runtime, engine, hosts } = options
  const workers = new Map<string, PodWorker>()
  const contexts = new Map<string, WorkerContext>()
  const handle = client.of<Pod>(resources.pods)
  let nextAddress = 1
  let wake: Enqueue | undefined

  const isOurs = (pod: Pod) => hosts.has(pod.spec.nodeName ?? '')
  const at = (pod: Pod) => ({ namespace: pod.metadata.namespace ?? '' })

  function contextOf(name: string): WorkerContext {
    const existing = contexts.get(name)
    if (existing !== undefined) return existing
    const host = hosts.get(name) ?? { name, address: '' }
    const changed = (key: string) => wake?.(key)
    const context = { clock: runtime.clock, engine, host, record: options.recordOn(name), changed }
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

  /** The pod is gone from the server, or another has taken its name. */
  function dismiss(key: string): void {
    const worker = workers.get(key)
    if (worker === undefined) return
    workers.delete(key)
    void worker.abandon()
  }

  async function writeStatus(pod: Pod, worker: PodWorker, final: boolean): Promise<void> {
    const status = worker.status(pod, final)
    if (sameStatus(worker.written ?? pod.status, status)) return
    const { name, uid } = pod.metadata
    const value = { metadata: { uid }, status: withRemovals(status) }
    await handle.patch(name, { type: 'strategic', value }, { ...at(pod), subresource: 'status', answer: 'metadata' })
    worker.written = status
  }

  async function finish(pod: Pod): Promise<void> {
    const { name, uid = '' } = pod.metadata
    await handle.delete(name, { ...at(pod), gracePeriodSeconds: 0, preconditions: { uid } })
  }

  async function terminate(key: string, pod: Pod): Promise<void> {
    // The server removes it in the same breath, or with its last finalizer.
    if (isFinished(pod) && pod.metadata.deletionGracePeriodSeconds === 0) return
    if (isFinished(pod) && !workers.has(key)) {
      await finish(pod)
      return
    }
    const worker = workerOf(key, pod)
    if (worker.finished) return
    worker.stop(pod, pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30)
    if (!worker.idle) return
    // Without finalizers the pod is gone in the next moment: nobody could act on how it ended.
    if ((pod.metadata.finalizers ?? []).length > 0) await writeStatus(pod, worker, true)
    worker.finished = true
    try {
      await finish(pod)
    } catch (error) {
      worker.finished = false
      throw error
    }
  }

  async function sync(key: string): Promise<SyncResult | undefined> {
    const pod = pods.get(key)
    const worker = workers.get(key)
    if (worker !== undefined && worker.uid !== pod?.metadata.uid) dismiss(key)
    if (pod === undefined || !isOurs(pod)) return undefined
    if (pod.metadata.deletionTimestamp !== undefined) {
      await terminate(key, pod)
      return undefined
    }
    if (isFinished(pod) && !workers.has(key)) return undefined
    const ours = workerOf(key, pod)
    const requeueAfterMs = ours.advance(pod)
    const patience = ours.createdAt + creationPatience - runtime.clock.now()
    if (ours.isBeingCreated && patience > 0) return { requeueAfterMs: Math.min(patience, requeueAfterMs ?? patience) }
    await writeStatus(pod, ours, false)
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs }
  }

  const controller: Controller = {
    name: 'kubelet',
    workers: 32,
    watch(enqueue) {
      wake = enqueue
      pods.subscribe((change) => {
        if (change.type === 'deleted') enqueue(change.key)
        else if (isOurs(change.value) && !isEcho(change, workers.get(change.key))) enqueue(change.key)
      })
      for (const [key, pod] of entriesOf(pods)) if (isOurs(pod)) enqueue(key)
    },
    async sync(key) {
      try {
        return await sync(key)
      } catch (error) {
        // The pod went away or was replaced meanwhile: the watch will say so.
        if (isNotFound(error) || isConflict(error)) return undefined
        throw error
      }
    },
  }
  return {
    controller,
    async abandon() {
      await Promise.all(Array.from(workers.values(), (worker) => worker.abandon()))
      workers.clear()
    },
  }
}

/** Whether a change tells no more than what the worker has written itself. */
function isEcho(
  change: CacheChange<Pod> & { readonly type: 'added' | 'updated' },
  worker: PodWorker | undefined,
): boolean {
  if (change.type === 'added' || worker?.written === undefined) return false
  const { value, previous } = change
  const touched =
    value.metadata.uid !== worker.uid ||
    value.metadata.generation !== previous.metadata.generation ||
    value.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    value.metadata.deletionGracePeriodSeconds !== previous.metadata.deletionGracePeriodSeconds
  if (touched || value.spec.readinessGates !== undefined || !sameStatus(value.status, worker.written)) return false
  // One copy of the status is enough.
  worker.written = value.status
  return true
}

/** A strategic merge keeps what is not mentioned: reasons that no longer hold are taken back by name. */
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
