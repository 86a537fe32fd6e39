/**
 * Hooks that are objects of the cluster: Jobs and pods. The cluster carries them out, so the end of this process changes nothing; how a
 * run stands is read from a cache of those objects.
 */

import {
  ApiError,
  type Cache,
  isAlreadyExists,
  isNotFound,
  type KubeClient,
  type KubeObject,
  unless,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Clock, Instant, Runtime } from '../../runtime/index.ts'
import type { ObjectAction } from '../action/index.ts'
import { type LogLine, readHookLog } from '../logs/index.ts'
import type { FailureReason, Observation } from '../outcome/index.ts'
import { objectName, type Run } from '../run/index.ts'
import type { Executor, Started } from './executor.ts'
import { type HookObject, projectHookObject } from './hook-object.ts'

/** What happens around the deletion of an object. */
export interface BeforeDelete {
  /** Reads what cannot be read afterwards. */
  saveLogs(object: HookObject): Promise<void>
  /** The object could not be deleted and still exists. */
  onDeleteFailed(object: HookObject): void
}

/** When objects of ended runs are deleted: nothing waits for it. */
export interface CleanupScheduler {
  /** At the pace of the other background work. */
  background(work: () => Promise<void>): Promise<void>
  /** Not before more important work is done. */
  whenIdle(work: () => Promise<void>): Promise<void>
}

export interface ObjectExecutorOptions {
  readonly client: KubeClient
  readonly runtime: Runtime
  /** Hold the Jobs and pods of hooks. */
  readonly caches: readonly Cache<HookObject>[]
  readonly beforeDelete: BeforeDelete
  readonly cleanup: CleanupScheduler
  /** Ends the checks that are still to come. */
  readonly signal: AbortSignal
}

/** A server may repeat the whole object in its response. */
const maxMessageLength = 1000
/** By then a cache shows what was created, or never will. */
const cacheLagMs = 5_000
/** How long we remember that an object was deleted by someone else. */
const lostMemoryMs = 60_000

interface Remembered<T> {
  readonly value: T
  readonly until: Instant
}

export class ObjectExecutor implements Executor<ObjectAction> {
  readonly family = 'declared'
  readonly #options: ObjectExecutorOptions
  readonly #clock: Clock
  /** Created although the caches do not show them yet. */
  readonly #started = new Map<string, Remembered<HookObject>>()
  /** Runs that failed before they had an object; remembered until the caller has seen it, because the next start would only fail again. */
  readonly #refused = new Map<string, Remembered<Observation>>()
  /** Objects deleted by someone else, remembered until the caller has seen it. */
  readonly #lost = new Map<string, Remembered<Observation>>()
  /** The uids of objects we deleted although the caches still show them: a pod takes its time to end. */
  readonly #removed = new Set<string>()
  /** The uids of objects that could not be deleted: the next caller waits for the deletion, and gets its error. */
  readonly #stayed = new Set<string>()

  constructor(options: ObjectExecutorOptions) {
    this.#options = options
    this.#clock = options.runtime.clock
    for (const cache of options.caches) {
      cache.subscribe((change) => {
        this.#started.delete(change.key)
        if (change.type === 'deleted') this.#stayed.delete(change.previous.uid)
        if (change.type === 'deleted' && !this.#removed.delete(change.previous.uid)) this.#lose(change.previous)
      })
    }
  }

  /** An object the API server refuses as invalid is a run that failed. */
  async start(_run: Run, { object }: ObjectAction, onChange?: () => void): Promise<Started> {
    const { kind, metadata } = object
    try {
      // The author wrote the Job: the server would drop a misspelt field, and run something else than what was written.
      const fieldValidation = kind === 'Job' ? 'Strict' : 'Warn'
      const created = await this.#options.client.of(typeOf(object)).create(object, { fieldValidation })
      this.#remember(projectHookObject(created))
    } catch (error) {
      if (isRefusal(error)) {
        const message = `the ${kind} was refused: ${error.status.message ?? error.message}`
        this.#refuse(`${metadata.namespace}/${metadata.name}`, 'NotCreated', message.slice(0, maxMessageLength))
        return 'refused'
      }
      if (!isAlreadyExists(error)) throw error
      this.#checkNameLater(object, onChange)
    }
    return 'started'
  }

  observe(run: Run): Observation {
    const found = this.#find(run)
    if (found !== undefined) return found.observation
    const key = keyOfRun(run)
    const refused = this.#recall(this.#refused, key)
    if (refused !== undefined) return refused
    return this.#recall(this.#lost, key) ?? { state: 'absent' }
  }

  /** Ends the run and deletes its object. */
  async cancel(run: Run): Promise<void> {
    const found = this.#find(run)
    if (found !== undefined) await this.removeObject(found)
  }

  async *logs(run: Run): AsyncIterable<LogLine> {
    const found = this.#find(run)
    if (found === undefined) return
    const { client, runtime, signal } = this.#options
    const text = await readHookLog(client, runtime, found, signal)
    for (const line of text?.trimEnd().split('\n') ?? []) yield { source: found.name, text: line }
  }

  /** Deletes the object of a run that has ended, in the background. */
  async retire(run: Run): Promise<void> {
    const found = this.#find(run)
    if (found !== undefined) await this.retireObject(found, 'background')
  }

  /** Resolves at once, except for an object that could not be deleted the last time. */
  async retireObject(object: HookObject, when: keyof CleanupScheduler): Promise<void> {
    if (this.leaves(object)) return
    if (this.#stayed.has(object.uid)) return this.removeObject(object)
    this.#removed.add(object.uid)
    const { cleanup, beforeDelete } = this.#options
    cleanup[when](() => this.#saveAndDelete(object)).catch(() => {
      this.#stayed.add(object.uid)
      beforeDelete.onDeleteFailed(object)
    })
  }

  async removeObject(object: HookObject): Promise<void> {
    if (this.leaves(object)) return
    this.#removed.add(object.uid)
    await this.#saveAndDelete(object)
  }

  /** Whether we have deleted it, whatever the caches show. */
  leaves({ uid }: HookObject): boolean {
    return this.#removed.has(uid)
  }

  async #saveAndDelete(object: HookObject): Promise<void> {
    try {
      await this.#options.beforeDelete.saveLogs(object)
      await this.#delete(object)
    } catch (error) {
      this.#removed.delete(object.uid)
      throw error
    }
  }

  async #delete(object: HookObject): Promise<void> {
    const { namespace, name, uid } = object
    try {
      const handle = this.#options.client.of(typeOf(object))
      await handle.delete(name, { namespace, propagationPolicy: 'Background', preconditions: { uid } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    this.#started.delete(`${namespace}/${name}`)
  }

  #find(run: Run): HookObject | undefined {
    const key = keyOfRun(run)
    return this.#cached(key) ?? this.#recall(this.#started, key)
  }

  #cached(key: string): HookObject | undefined {
    for (const cache of this.#options.caches) {
      const found = cache.get(key)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Until a cache shows it, all that is known of it is that it runs. */
  #remember(object: HookObject): void {
    const { kind, namespace, name, uid } = object
    const key = `${namespace}/${name}`
    if (this.#cached(key) !== undefined) return
    const now = this.#clock.now()
    const until = now + cacheLagMs
    const observation: Observation = { state: 'running', since: now, until, object: { kind, name, uid } }
    this.#started.set(key, { value: { ...object, observation }, until })
  }

  #refuse(key: string, reason: FailureReason, message: string): void {
    const now = this.#clock.now()
    forgetPast(this.#refused, now)
    this.#refused.set(key, { value: { state: 'failed', at: now, reason, message }, until: now + cacheLagMs })
  }

  #lose({ kind, namespace, name, uid, disruption }: HookObject): void {
    const now = this.#clock.now()
    forgetPast(this.#lost, now)
    const object = { kind, name, uid }
    const value: Observation = { state: 'lost', object, ...(disruption === undefined ? {} : { disruption }) }
    this.#lost.set(`${namespace}/${name}`, { value, until: now + lostMemoryMs })
  }

  #recall<T>(memory: ReadonlyMap<string, Remembered<T>>, key: string): T | undefined {
    const remembered = memory.get(key)
    return remembered !== undefined && remembered.until > this.#clock.now() ? remembered.value : undefined
  }

  /**
   * The name is the run's, so an object that has it is usually the run's own and the caches are about to show it. One that they do not
   * show is asked for: an object without our owner belongs to someone else.
   */
  #checkNameLater(object: KubeObject, onChange?: () => void): void {
    const { signal } = this.#options
    const check = () => {
      signal.removeEventListener('abort', cancel)
      this.#checkName(object).then(
        (isNews) => (isNews ? onChange?.() : undefined),
        (error: unknown) => {
          const { kind, metadata } = object
          this.#options.runtime.log.debug('owner of an object not read', { kind, name: metadata.name, error })
        },
      )
    }
    const timer = this.#clock.after(cacheLagMs, check)
    const cancel = () => timer.cancel()
    signal.addEventListener('abort', cancel, { once: true })
  }

  async #checkName(object: KubeObject): Promise<boolean> {
    const { kind, metadata } = object
    const { namespace = '', name, ownerReferences = [] } = metadata
    const key = `${namespace}/${name}`
    if (this.#cached(key) !== undefined) return false
    const handle = this.#options.client.of(typeOf(object))
    const found = await handle.get(name, { namespace, signal: this.#options.signal }).catch(unless(isNotFound))
    if (found === undefined) return false
    const owners = new Set(found.metadata.ownerReferences?.map(({ uid }) => uid))
    if (ownerReferences.some(({ uid }) => owners.has(uid))) return false
    this.#refuse(key, 'NameTaken', `a ${kind} named ${name} exists and belongs to someone else`)
    return true
  }
}

function typeOf({ kind }: { readonly kind?: string }) {
  return kind === 'Job' ? resources.jobs : resources.pods
}

function forgetPast(memory: Map<string, Remembered<unknown>>, now: Instant): void {
  for (const [key, { until }] of memory) if (until <= now) memory.delete(key)
}

function keyOfRun(run: Run): string {
  return `${run.subject.namespace}/${objectName(run)}`
}

/** The object is invalid however often it is sent. What is forbidden, by a quota for example, may be allowed later. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 422].includes(error.httpStatus)
}
