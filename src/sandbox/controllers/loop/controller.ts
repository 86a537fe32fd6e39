/**
 * The interface of the sandbox's controllers and the loop that runs them: changes of shared caches become keys, and
 * keys are reconciled one at a time each.
 */

import { type ReconcileResult, runController } from '../../../kube/controller/index.ts'
import {
  type Cache,
  createWorkQueue,
  isConflict,
  isNotFound,
  type KubeClient,
  type KubeObject,
} from '../../../kube/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import type { Informers } from './informers.ts'
import { type Recorder, WriteFailed } from './perform.ts'
import type { Shutdown } from './shutdown.ts'

/** Dependencies of a controller. */
export interface ControllerContext {
  readonly client: KubeClient
  readonly informers: Informers
  readonly runtime: Runtime
  /** Records events under the name of the controller. */
  readonly record: Recorder
  readonly shutdown: Shutdown
}

export interface Enqueue {
  (key: string): void
  after(key: string, delay: number): void
}

export interface Controller {
  readonly name: string
  /**
   * The component of its events.
   * @default the name
   */
  readonly component?: string
  /**
   * Number of keys reconciled concurrently.
   * @default 5
   */
  readonly workers?: number
  /** Subscribes to the filled caches and enqueues existing objects. */
  watch(enqueue: Enqueue): void
  sync(key: string): Promise<ReconcileResult | undefined>
}

/** Bursts of changes that only affect counts are collected for this time. */
const debounceMs = 10

/** For keys of owners whose dependents changed. */
export function debounced(enqueue: Enqueue): (key: string) => void {
  return (key) => enqueue.after(key, debounceMs)
}

/**
 * Enqueues every key of the cache, now and on every change. A change of the status only is debounced, because it is
 * usually a write of the controller itself.
 */
export function enqueueAll<T extends KubeObject>(cache: Cache<T>, enqueue: Enqueue): void {
  const enqueueDebounced = debounced(enqueue)
  cache.subscribe((change) => {
    if (change.type === 'updated' && isStatusOnly(change.value, change.previous)) enqueueDebounced(change.key)
    else enqueue(change.key)
  })
  for (const key of cache.keys()) enqueue(key)
}

function isStatusOnly({ metadata: now }: KubeObject, { metadata: before }: KubeObject): boolean {
  return (
    now.generation !== undefined &&
    now.generation === before.generation &&
    now.uid === before.uid &&
    now.deletionTimestamp === before.deletionTimestamp
  )
}

/** Runs until `signal` aborts; `ready` resolves when the caches are filled. */
export async function startController(
  controller: Controller,
  runtime: Runtime,
  ready: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const queue = createWorkQueue(runtime, { name: controller.name })
  const feed = (add: (key: string) => void) => {
    controller.watch(Object.assign(add, { after: (key: string, delay: number) => queue.addAfter(key, delay) }))
    return () => {}
  }
  await runController({
    name: controller.name,
    runtime,
    queue,
    sources: [{ synced: ready, feed }],
    concurrency: controller.workers ?? 5,
    signal,
    reconcile: (key) => syncOnce(controller, key),
  })
}

/** A conflict is not an error: the cache was behind, and the next sync sees the newer object. */
async function syncOnce(controller: Controller, key: string): Promise<ReconcileResult | undefined> {
  try {
    return await controller.sync(key)
  } catch (error) {
    const cause = error instanceof WriteFailed ? error.cause : error
    if (isConflict(cause) || isNotFound(cause)) return { retry: true }
    throw error
  }
}
