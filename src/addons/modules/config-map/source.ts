/**
 * The ConfigMap that people configure modules with: followed as long as it is there, and written when hooks ask for it. Whoever listens hears of
 * what others changed, never of what was written from here.
 */
import type { KubeClient, ResourceClient } from '../../../kube/client/client.ts'
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from '../../../kube/errors.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { KubeObject } from '../../../kube/object.ts'
import type { CacheChange } from '../../../kube/reflector/cache.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import { isBefore } from '../../../kube/reflector/version.ts'
import { equal } from '../../../patch/equal.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ValuesPatch } from '../values/patch.ts'
import type { Sections } from '../values/sections.ts'
import { type ConfigChange, changeOf, withoutProblems } from './change.ts'
import { type ConfigData, invalidConfig, patchConfigData, readConfigData } from './data.ts'

export interface ConfigMapOptions {
  readonly namespace: string
  readonly name: string
  readonly moduleKeys: readonly string[]
  /** A part cannot be used, and what was there before stays in force; already logged. */
  readonly refused?: (key: string) => void
}

export type ConfigListener = (change: ConfigChange, state: Sections) => void

interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

/** Milliseconds until an API server that does not answer is asked again. */
const pause = 3000

/** How often somebody else may be faster before a write is given up. */
const mostConflicts = 10

export class ConfigMapSource {
  readonly #client: ResourceClient<ConfigMap>
  readonly #runtime: Runtime
  readonly #options: ConfigMapOptions
  readonly #listeners = new Set<ConfigListener>()
  /** Problems that were told of, by key. */
  #told: Readonly<Record<string, string>> = {}
  readonly #warned = new Set<string>()
  #state: Sections = { sections: {}, flags: {} }
  #uid: string | undefined
  /** Written from here and not seen coming back; whatever is older tells nothing new. */
  #awaited: string | undefined
  #writing: Promise<unknown> = Promise.resolve()
  /** What the watch brings before the answer to a write is there: it may be that very write. */
  #held: CacheChange<ConfigMap>[] | undefined

  constructor(client: KubeClient, runtime: Runtime, options: ConfigMapOptions) {
    this.#client = client.of<ConfigMap>(resources.configMaps)
    this.#runtime = runtime
    this.#options = options
  }

  get state(): Sections {
    return this.#state
  }

  /** Follows it until `signal` aborts. Resolves when it was read for the first time; rejects when a part of it cannot be used then. */
  async start(signal: AbortSignal): Promise<void> {
    const first = await this.#firstReading(signal)
    const read = readConfigData(first?.data ?? {}, this.#options.moduleKeys)
    if (Object.keys(read.problems).length > 0) throw invalidConfig(this.#name, read.problems)
    this.#adopt(first)
    const { namespace, name } = this.#options
    const options = { namespace, fieldSelector: `metadata.name=${name}` }
    const reflector = createReflector<ConfigMap>(this.#client, this.#runtime, options)
    reflector.cache.subscribe((change) => {
      if (this.#held === undefined) this.#see(change)
      else this.#held.push(change)
    })
    reflector.run(signal).catch((error: unknown) => {
      this.#runtime.log.error('the ConfigMap is not followed any more', { configMap: this.#name, error })
    })
  }

  /** Called after the state has changed. */
  subscribe(listener: ConfigListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Changes the section as it is in the cluster by now. When it resolves, the state holds the change. */
  save(owner: string, patch: ValuesPatch, signal: AbortSignal): Promise<void> {
    const written = this.#writing.then(() => this.#write(owner, patch, signal))
    this.#writing = written.catch(() => {})
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
        this.#held = []
        const written = await this.#put(found, data, signal)
        // Others may have changed something that the watch has not brought yet.
        this.#tell(this.#adopt(found))
        this.#adopt(written)
        this.#awaited = written.metadata.resourceVersion
        return
      } catch (error) {
        const isRace = isConflict(error) || isAlreadyExists(error) || (found !== undefined && isNotFound(error))
        if (!isRace || conflicts === mostConflicts) throw error
      } finally {
        const held = this.#held ?? []
        this.#held = undefined
        for (const change of held) this.#see(change)
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

  async #firstReading(signal: AbortSignal): Promise<ConfigMap | undefined> {
    for (;;) {
      try {
        return await this.#get(signal)
      } catch (error) {
        signal.throwIfAborted()
        const { log, clock } = this.#runtime
        if (isForbidden(error)) {
          log.warn('the ConfigMap may not be read: modules go on without it', { configMap: this.#name, error })
          return undefined
        }
        log.warn('the ConfigMap cannot be read yet', { configMap: this.#name, error })
        await clock.sleep(pause, signal)
      }
    }
  }

  #see(change: CacheChange<ConfigMap>): void {
    if (change.type === 'deleted') {
      if (change.previous.metadata.uid === this.#uid) this.#tell(this.#adopt(undefined))
      return
    }
    const object = change.value
    const { resourceVersion = '' } = object.metadata
    if (this.#awaited !== undefined && isBefore(resourceVersion, this.#awaited)) return
    this.#awaited = undefined
    this.#tell(this.#adopt(object))
  }

  #adopt(object: ConfigMap | undefined): ConfigChange | undefined {
    const { moduleKeys } = this.#options
    const read = readConfigData(object?.data ?? {}, moduleKeys)
    const before = this.#state
    this.#complain(read.problems)
    for (const key of read.unknown) this.#warnOnce(key)
    this.#uid = object?.metadata.uid
    this.#state = withoutProblems(before, read, moduleKeys)
    return changeOf(before, this.#state)
  }

  #tell(change: ConfigChange | undefined): void {
    if (change === undefined) return
    for (const listener of this.#listeners) listener(change, this.#state)
  }

  #complain(problems: Readonly<Record<string, string>>): void {
    const told = this.#told
    this.#told = problems
    for (const [key, problem] of Object.entries(problems)) {
      if (told[key] === problem) continue
      const what = { configMap: this.#name, key, problem }
      this.#runtime.log.error('a part of the ConfigMap cannot be used: what was there before stays in force', what)
      this.#options.refused?.(key)
    }
  }

  #warnOnce(key: string): void {
    if (this.#warned.has(key)) return
    this.#warned.add(key)
    this.#runtime.log.warn('a part of the ConfigMap is not read: there is no such module', {
      configMap: this.#name,
      key,
    })
  }
}
