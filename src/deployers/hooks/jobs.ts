/** The Jobs of hooks: watched, so that an item goes on when its Job ends and no server is asked meanwhile. */
import { type HookObject, hookLabel, ObjectExecutor, projectHookObject, readHookLog } from '../../hooks/index.ts'
import {
  BackgroundQueue,
  type Cache,
  createReflector,
  type KubeClient,
  type KubeObject,
  type Reflector,
  type Source,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Runtime } from '../../runtime/index.ts'

export const jobLabels = {
  surface: 'carabiner.dev/surface',
  item: 'carabiner.dev/item-uid',
} as const
export const pointAnnotation = 'carabiner.dev/point'

/** What is kept of a Job. */
interface HookJob extends HookObject {
  readonly point: string | undefined
  /** The key of its item. */
  readonly itemKey: string
}

export class HookJobs {
  readonly executor: ObjectExecutor
  /** Gives the keys of items whose Jobs have changed. */
  readonly changes: Source
  readonly #reflector: Reflector<HookJob>
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #background: BackgroundQueue
  readonly #signal: AbortSignal
  #running: Promise<void> | undefined
  readonly #cache: Cache<HookJob>
  readonly #listeners = new Set<(key: string) => void>()

  constructor(client: KubeClient, runtime: Runtime, signal: AbortSignal) {
    this.#client = client
    this.#runtime = runtime
    this.#background = new BackgroundQueue(runtime.clock)
    this.#signal = signal
    this.#reflector = createReflector<HookJob>(client.of(resources.jobs), runtime, {
      labelSelector: `${jobLabels.surface}=deployers`,
      project: projectHookJob,
      indexes: { item: ({ labels }) => [labels[jobLabels.item] ?? ''] },
      isSame: (before, after) => JSON.stringify(before) === JSON.stringify(after),
    })
    this.#cache = this.#reflector.cache
    this.#cache.subscribe((change) => this.wake((change.type === 'deleted' ? change.previous : change.value).itemKey))
    this.changes = { synced: this.#cache.synced, feed: (add) => this.#listen(add) }
    const now = (work: () => Promise<void>) => work()
    this.executor = new ObjectExecutor({
      ...{ client, runtime, signal, caches: [this.#cache] },
      beforeDelete: {
        saveLogs: () => Promise.resolve(),
        onDeleteFailed: ({ namespace, name }) => runtime.log.warn('Job of a hook not deleted', { namespace, name }),
      },
      cleanup: { background: now, whenIdle: now },
    })
  }

  /** Watches until the signal aborts. */
  run(): Promise<void> {
    this.#running ??= this.#reflector.run(AbortSignal.any([this.#signal]))
    return this.#running
  }

  /** Deletes the Jobs that earlier runs of the item have left at this point. */
  async deleteEarlier(job: KubeObject): Promise<void> {
    const { name, labels = {}, annotations = {} } = job.metadata
    const others = this.#cache
      .by('item', labels[jobLabels.item] ?? '')
      .filter((other) => other.name !== name && other.labels[hookLabel] === labels[hookLabel])
      .filter(({ point }) => point === annotations[pointAnnotation])
    for (const other of others) await this.executor.removeObject(other)
  }

  /** The end of what the pods of a Job printed; read in the background. */
  readLog(namespace: string, name: string): Promise<string | undefined> {
    const job = { kind: 'Job', namespace, name }
    return this.#background.run(() => readHookLog(this.#client, this.#runtime, job, this.#signal))
  }

  wake(itemKey: string): void {
    for (const listener of this.#listeners) listener(itemKey)
  }

  #listen(add: (key: string) => void): () => void {
    this.#listeners.add(add)
    return () => void this.#listeners.delete(add)
  }
}

function projectHookJob(object: KubeObject): HookJob {
  const { namespace, annotations, ownerReferences = [] } = object.metadata
  const item = ownerReferences.find(({ kind }) => kind === 'DeployItem')?.name ?? ''
  return { ...projectHookObject(object), point: annotations?.[pointAnnotation], itemKey: `${namespace}/${item}` }
}
