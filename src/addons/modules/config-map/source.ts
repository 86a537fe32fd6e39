/**
 * The ConfigMap with the configuration of modules: watched, and written when hooks patch it. Listeners get the changes of others, not own
 * writes.
 */
import {
  type CacheChange,
  createReflector,
  isAlreadyExists,
  isBefore,
  isConflict,
  isForbidden,
  isNotFound,
  type KubeClient,
  type ResourceClient,
} from '../../../kube/index.ts'
import { type ConfigMap, resources } from '../../../kube/kinds/index.ts'
import { equal } from '../../../patch/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import type { ValuesPatch } from '../values/patch.ts'
import type { Sections } from '../values/sections.ts'
import { type ConfigChange, changeOf, withPreviousForInvalid } from './change.ts'
import { type ConfigData, invalidConfig, patchConfigData, readConfigData } from './data.ts'

export interface ConfigMapOptions {
  readonly namespace: string
  readonly name: string
  readonly moduleKeys: readonly string[]
  /** Called when a part is invalid and its previous state is kept; already logged. */
  readonly refused?: (key: string) => void
}

export type ConfigListener = (change: ConfigChange, state: Sections) => void

/** The pause before the first read is retried. */
const retryMs = 3000

/** Conflicts with other writers before a write fails. */
const maxConflicts = 10

export class ConfigMapSource {
  readonly #client: ResourceClient<ConfigMap>
  readonly #runtime: Runtime
  readonly #options: ConfigMapOptions
  readonly #listeners = new Set<ConfigListener>()
  /** Problems that were logged, by key. */
  #loggedProblems: Readonly<Record<string, string>> = {}
  readonly #warned = new Set<string>()
  #state: Sections = { sections: {}, flags: {} }
  #uid: string | undefined
  /** The resourceVersion of the last own write until the watch shows it; older versions are ignored. */
  #ownVersion: string | undefined
  #lastWrite: Promise<unknown> = Promise.resolve()
  /** Watch events received during a write, which may show that write. */
  #heldChanges: CacheChange<ConfigMap>[] | undefined

  constructor(client: KubeClient, runtime: Runtime, options: ConfigMapOptions) {
    this.#client = client.of(resources.configMaps)
    this.#runtime = runtime
    this.#options = options
  }

  get state(): Sections {
    return this.#state
  }

  /** Watches the ConfigMap until `signal` aborts. Resolves after the first read; rejects when a part is invalid then. */
  async start(signal: AbortSignal): Promise<void> {
    const first = await this.#readFirst(signal)
    const read = readConfigData(first?.data ?? {}, this.#options.moduleKeys)
    if (Object.keys(read.problems).length > 0) throw invalidConfig(this.#name, read.problems)
    this.#update(first)
    const { namespace, name } = this.#options
    const options = { namespace, fieldSelector: `metadata.name=${name}` }
    const reflector = createReflector<ConfigMap>(this.#client, this.#runtime, options)
    reflector.cache.subscribe((change) => {
      if (this.#heldChanges === undefined) this.#onChange(change)
      else this.#heldChanges.push(change)
    })
    reflector.run(signal).catch((error: unknown) => {
      this.#runtime.log.error('watch of the ConfigMap ended', { configMap: this.#name, error })
    })
  }

  /** Called after the state has changed. */
  subscribe(listener: ConfigListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Patches the current section in the cluster. When it resolves, the state contains the change. */
  save(owner: string, patch: ValuesPatch, signal: AbortSignal): Promise<void> {
    const written = this.#lastWrite.then(() => this.#write(owner, patch, signal))
    this.#lastWrite = written.catch(() => {})
    return written
  }

  get #name(): string {
    return `${this.#options.namespace}/${this.#options.name}`
  }

  async #write(owner: string, patch: ValuesPatch, signal: AbortSignal): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      signal.throwIfAborted()
      const found = await this.#get(signal)
      const before = found?.data ?? {}
      const data = patchConfigData(before, owner, patch, this.#name)
      if (equal(before, data)) return
      try {
        this.#heldChanges = []
        const written = await this.#put(found, data, signal)
        // `found` may contain changes of others that the watch has not shown yet.
        this.#notify(this.#update(found))
        this.#update(written)
        this.#ownVersion = written.metadata.resourceVersion
        return
      } catch (error) {
        const isRace = isConflict(error) || isAlreadyExists(error) || (found !== undefined && isNotFound(error))
        if (!isRace || conflicts === maxConflicts) throw error
      } finally {
        const held = this.#heldChanges ?? []
        this.#heldChanges = undefined
        for (const change of held) this.#onChange(change)
      }
    }
  }

  #put(found: ConfigMap | undefined, data: ConfigData, signal: AbortSignal): Promise<ConfigMap> {
    if (found !== undefined) return this.#client.update({ ...found, data }, { signal })
    const { namespace, name } = this.#options
    return this.#client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data }, { signal })
  }

  async #get(signal: AbortSignal): Promise<ConfigMap | undefined> {
    const { namespace, name } = this.#options
    try {
      return await this.#client.get(name, { namespace, signal })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async #readFirst(signal: AbortSignal): Promise<ConfigMap | undefined> {
    for (;;) {
      try {
        return await this.#get(signal)
      } catch (error) {
        signal.throwIfAborted()
        const { log, clock } = this.#runtime
        if (isForbidden(error)) {
          log.warn('no permission to read the ConfigMap: modules start without it', { configMap: this.#name, error })
          return undefined
        }
        log.warn('cannot read the ConfigMap yet: retrying', { configMap: this.#name, error })
        await clock.sleep(retryMs, signal)
      }
    }
  }

  #onChange(change: CacheChange<ConfigMap>): void {
    if (change.type === 'deleted') {
      if (change.previous.metadata.uid === this.#uid) this.#notify(this.#update(undefined))
      return
    }
    const object = change.value
    const { resourceVersion = '' } = object.metadata
    if (this.#ownVersion !== undefined && isBefore(resourceVersion, this.#ownVersion)) return
    this.#ownVersion = undefined
    this.#notify(this.#update(object))
  }

  #update(object: ConfigMap | undefined): ConfigChange | undefined {
    const { moduleKeys } = this.#options
    const read = readConfigData(object?.data ?? {}, moduleKeys)
    const before = this.#state
    this.#logProblems(read.problems)
    for (const key of read.unknown) this.#warnOnce(key)
    this.#uid = object?.metadata.uid
    this.#state = withPreviousForInvalid(before, read, moduleKeys)
    return changeOf(before, this.#state)
  }

  #notify(change: ConfigChange | undefined): void {
    if (change === undefined) return
    for (const listener of this.#listeners) listener(change, this.#state)
  }

  #logProblems(problems: Readonly<Record<string, string>>): void {
    const logged = this.#loggedProblems
    this.#loggedProblems = problems
    for (const [key, problem] of Object.entries(problems)) {
      if (logged[key] === problem) continue
      const fields = { configMap: this.#name, key, problem }
      this.#runtime.log.error('a part of the ConfigMap is invalid: keeping its previous state', fields)
      this.#options.refused?.(key)
    }
  }

  #warnOnce(key: string): void {
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.#runtime.log.warn('ignoring a key of the ConfigMap: no module has this name', {
      configMap: this.#name,
      key,
    })
  }
}
