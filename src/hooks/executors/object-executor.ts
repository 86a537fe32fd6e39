/**
 * Hooks that are objects of the cluster: Jobs and pods. The cluster carries them out, so that our death changes nothing; what became of
 * one is read from a cache of those objects.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { ApiError, isAlreadyExists, isNotFound } from '../../kube/errors.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { Cache } from '../../kube/reflector/cache.ts'
import type { Clock, Instant } from '../../runtime/clock.ts'
import type { ObjectReference, Observation } from '../outcome/index.ts'
import { objectName, type Run } from '../run/index.ts'
import { type HookObject, projectHookObject } from './hook-object.ts'

/** What has to be done about an object before it goes. */
export interface BeforeDelete {
  /** Reads what nobody can read afterwards. */
  saveLogs(object: HookObject): Promise<void>
  /** It could not be removed, and is still there. */
  onDeleteFailed(object: HookObject): void
}

/** When objects of runs that have ended are removed: nothing waits for it. */
export interface CleanupScheduler {
  /** In its own time. */
  background(work: () => Promise<void>): Promise<void>
  /** Not while there is more important work. */
  whenIdle(work: () => Promise<void>): Promise<void>
}

/** A server may repeat the whole object in its answer. */
const longestMessage = 1000

/** Milliseconds after which a cache shows what was created, or never will. */
const patience = 5_000
/** Milliseconds in which what vanished is judged, if anybody waits for it. */
const memory = 60_000

export class ObjectExecutor {
  readonly #client: KubeClient
  readonly #caches: readonly Cache<HookObject>[]
  readonly #clock: Clock
  /** Started although the caches do not show them yet. */
  readonly #started = new Map<string, { readonly object: HookObject; readonly until: Instant }>()
  /** What the server did not want to have; each is remembered until it has been judged, and would only be refused again. */
  readonly #refused = new Map<string, { readonly observation: Observation; readonly until: Instant }>()
  /** Taken away by somebody else; each is remembered until it has been judged. */
  readonly #vanished = new Map<string, { readonly object: ObjectReference; readonly until: Instant }>()
  /** The uids of those removed although the caches still show them: a pod takes its time to go. */
  readonly #removed = new Set<string>()
  /** The uids of those that could not be removed: the next time somebody waits, and learns it. */
  readonly #stayed = new Set<string>()
  readonly #beforeDelete: BeforeDelete
  readonly #cleanup: CleanupScheduler

  /** `caches` hold the Jobs and pods of hooks. */
  constructor(
    client: KubeClient,
    caches: readonly Cache<HookObject>[],
    clock: Clock,
    beforeDelete: BeforeDelete,
    cleanup: CleanupScheduler,
  ) {
    this.#cleanup = cleanup
    this.#client = client
    this.#caches = caches
    this.#clock = clock
    this.#beforeDelete = beforeDelete
    for (const cache of caches) {
      cache.subscribe((change) => {
        this.#started.delete(change.key)
        if (change.type === 'deleted') this.#stayed.delete(change.previous.uid)
        if (change.type === 'deleted' && !this.#removed.delete(change.previous.uid)) this.#miss(change.previous)
      })
    }
  }

  /** Creating what is there already changes nothing: its name says that it is the same run. An object that is refused is a run that failed. */
  async start(object: KubeObject): Promise<'started' | 'refused'> {
    const type = object.kind === 'Job' ? resources.jobs : resources.pods
    try {
      // A Job is its author's own text: a misspelt field would be dropped, and the hook would be another one than he wrote.
      const fieldValidation = object.kind === 'Job' ? 'Strict' : 'Warn'
      this.#remember(projectHookObject(await this.#client.of(type).create(object, { fieldValidation })))
    } catch (error) {
      if (isRefusal(error)) return this.#refuse(object, error)
      if (!isAlreadyExists(error)) throw error
    }
    return 'started'
  }

  #refuse({ kind, metadata: { namespace = '', name } }: KubeObject, { status, message }: ApiError): 'refused' {
    const now = this.#clock.now()
    for (const [key, { until }] of this.#refused) if (until <= now) this.#refused.delete(key)
    const said = `the ${kind} was refused: ${status.message ?? message}`.slice(0, longestMessage)
    const observation: Observation = { state: 'failed', at: now, reason: 'NotCreated', message: said }
    this.#refused.set(`${namespace}/${name}`, { observation, until: now + patience })
    return 'refused'
  }

  #remember(object: HookObject): void {
    const key = `${object.namespace}/${object.name}`
    if (this.#caches.some((cache) => cache.get(key) !== undefined)) return
    const { kind, name, uid } = object
    const now = this.#clock.now()
    const until = now + patience
    const observation: Observation = { state: 'running', since: now, until, object: { kind, name, uid } }
    this.#started.set(key, { object: { ...object, observation }, until })
  }

  observe(run: Run): Observation {
    const found = this.#find(run)
    if (found !== undefined) return found.observation
    const now = this.#clock.now()
    const refused = this.#refused.get(keyOfRun(run))
    if (refused !== undefined && refused.until > now) return refused.observation
    const vanished = this.#vanished.get(keyOfRun(run))
    return vanished !== undefined && vanished.until > now
      ? { state: 'absent', object: vanished.object }
      : { state: 'absent' }
  }

  #miss({ kind, namespace, name, uid }: HookObject): void {
    const now = this.#clock.now()
    for (const [key, { until }] of this.#vanished) if (until <= now) this.#vanished.delete(key)
    this.#vanished.set(`${namespace}/${name}`, { object: { kind, name, uid }, until: now + memory })
  }

  /** Ends the run and removes its object. */
  async remove(run: Run): Promise<void> {
    const found = this.#find(run)
    if (found !== undefined) await this.removeObject(found)
  }

  /** Removes the object of a run that has ended. */
  async retire(run: Run): Promise<void> {
    const found = this.#find(run)
    if (found !== undefined) await this.retireObject(found, 'background')
  }

  /** Resolves at once, but for an object that could not be removed the last time. */
  async retireObject(object: HookObject, when: keyof CleanupScheduler): Promise<void> {
    if (this.leaves(object)) return
    if (this.#stayed.has(object.uid)) return this.removeObject(object)
    this.#removed.add(object.uid)
    this.#cleanup[when](() => this.#takeAway(object)).catch(() => {
      this.#stayed.add(object.uid)
      this.#beforeDelete.onDeleteFailed(object)
    })
  }

  async removeObject(object: HookObject): Promise<void> {
    if (this.leaves(object)) return
    this.#removed.add(object.uid)
    await this.#takeAway(object)
  }

  /** Whether it is as good as removed. */
  leaves({ uid }: HookObject): boolean {
    return this.#removed.has(uid)
  }

  async #takeAway(object: HookObject): Promise<void> {
    try {
      await this.#beforeDelete.saveLogs(object)
      await this.#delete(object)
    } catch (error) {
      this.#removed.delete(object.uid)
      throw error
    }
  }

  async #delete({ kind, namespace, name, uid }: HookObject): Promise<void> {
    try {
      const handle = this.#client.of(kind === 'Job' ? resources.jobs : resources.pods)
      await handle.delete(name, { namespace, propagationPolicy: 'Background', preconditions: { uid } })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
    this.#started.delete(`${namespace}/${name}`)
  }

  #find(run: Run): HookObject | undefined {
    const key = keyOfRun(run)
    for (const cache of this.#caches) {
      const found = cache.get(key)
      if (found !== undefined) return found
    }
    const started = this.#started.get(key)
    return started !== undefined && started.until > this.#clock.now() ? started.object : undefined
  }
}

function keyOfRun(run: Run): string {
  return `${run.subject.namespace}/${objectName(run)}`
}

/** The object is invalid and will be however often it is sent. What is forbidden, by a quota for example, may be allowed later. */
function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && [400, 422].includes(error.httpStatus)
}
