/**
 * The shape of the sandbox's controllers, and how they are put on the common loop: changes in shared caches become keys, keys are
 * brought in line one at a time each.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import { runController } from '../../../kube/controller/controller.ts'
import { isConflict, isNotFound } from '../../../kube/errors.ts'
import type { KubeObject } from '../../../kube/object.ts'
import { createWorkQueue } from '../../../kube/queue/workqueue.ts'
import type { Cache } from '../../../kube/reflector/cache.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Ending } from './ending.ts'
import type { Informers } from './informers.ts'
import { type Recorder, WriteFailed } from './perform.ts'

/** What a controller is given. */
export interface ControllerContext {
  readonly client: KubeClient
  readonly informers: Informers
  readonly runtime: Runtime
  /** Records events under the name of the controller. */
  readonly record: Recorder
  readonly ending: Ending
}

export interface Again {
  /** Milliseconds after which to look at the key once more. */
  readonly wakeAfter?: number
  /** Look once more with back-off. */
  readonly retry?: boolean
}

export interface Enqueue {
  (key: string): void
  after(key: string, delay: number): void
}

export interface Controller {
  readonly name: string
  /** Who its events come from. @default the name */
  readonly component?: string
  /** Keys worked on at the same time. @default 5 */
  readonly workers?: number
  /** Subscribes to the filled caches and enqueues what is there. */
  watch(enqueue: Enqueue): void
  sync(key: string): Promise<Again | undefined>
}

/** Milliseconds within which changes that are only counted are taken together: they come in crowds. */
const crowdWithin = 10

/** For the keys of owners whose dependents changed. */
export function inCrowds(enqueue: Enqueue): (key: string) => void {
  return (key) => enqueue.after(key, crowdWithin)
}

/** Every key of the cache, now and whenever it changes; at leisure when only a status did, which most often we wrote ourselves. */
export function enqueueAll<T extends KubeObject>(cache: Cache<T>, enqueue: Enqueue): void {
  const leisurely = inCrowds(enqueue)
  cache.subscribe((change) => {
    if (change.type === 'updated' && isStatusOnly(change.value, change.previous)) leisurely(change.key)
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

/** Runs until `signal` aborts; `ready` settles when the caches are filled. */
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
    async reconcile(key) {
      const again = await syncOnce(controller, key)
      if (again?.retry === true) queue.addRateLimited(key)
      return again?.wakeAfter === undefined ? undefined : { after: again.wakeAfter }
    },
  })
}

/** A lost race is no failure: the cache was behind, and the next look will see more. */
async function syncOnce(controller: Controller, key: string): Promise<Again | undefined> {
  try {
    return await controller.sync(key)
  } catch (error) {
    const cause = error instanceof WriteFailed ? error.cause : error
    if (isConflict(cause) || isNotFound(cause)) return { retry: true }
    throw error
  }
}
