/**
 * The writes of one run to its item. Each carries the resourceVersion it was decided on. The result of a deployer's function is written
 * even after a conflict, because the work has been done.
 */
import { isConflict, type ResourceClient } from '../../kube/index.ts'
import { equal } from '../../patch/index.ts'
import type { Json } from '../../runtime/index.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
import { isFinal } from './phases.ts'

/** Another process has begun a newer run of the item, so the results of this one are outdated. */
export class Superseded extends Error {
  constructor(item: DeployItem) {
    super(`another run of ${item.metadata.namespace}/${item.metadata.name} has begun`)
    this.name = 'Superseded'
  }
}

const maxConflicts = 10

export class ItemWriter {
  readonly #client: ResourceClient<DeployItem>
  readonly #signal: AbortSignal
  #item: DeployItem
  #hasWritten = false
  #hasForeignWrite = false
  /** The last write; each write needs the resourceVersion of the one before it. */
  #lastWrite: Promise<unknown> = Promise.resolve()

  /** Nothing is written once `signal` has aborted. */
  constructor(client: ResourceClient<DeployItem>, item: DeployItem, signal: AbortSignal) {
    this.#client = client
    this.#item = item
    this.#signal = signal
  }

  /** The item as the server returned it last. */
  get item(): DeployItem {
    return this.#item
  }

  /** The resourceVersion of the last own write; undefined when another writer came in between. */
  get version(): string | undefined {
    return this.#hasForeignWrite ? undefined : this.#item.metadata.resourceVersion
  }

  /** Rejects with a conflict when the item has changed since the decision. */
  async writeStatus(status: DeployItemStatus): Promise<void> {
    if (isSame(status, this.#item.status ?? {})) return
    await this.#put(status)
  }

  /** Writes the result of a deployer's function, and repeats the write after conflicts. */
  recordStatus(status: DeployItemStatus): Promise<void> {
    const writing = this.#lastWrite.then(() => this.#record(structuredClone(status)))
    this.#lastWrite = writing.catch(() => undefined)
    return writing
  }

  async #record(status: DeployItemStatus): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      const merged = conflicts === 0 ? status : mergedStatus(this.#item.status ?? {}, status, this.#item)
      if (isSame(merged, this.#item.status ?? {})) return
      try {
        await this.#put(merged)
        return
      } catch (error) {
        if (!isConflict(error) || conflicts === maxConflicts) throw error
        await this.refresh()
      }
    }
  }

  /** Removes annotations and sets the finalizers; writes nothing when nothing changes. */
  async writeMetadata(change: {
    readonly remove?: readonly string[]
    readonly finalizers?: readonly string[]
  }): Promise<void> {
    const { metadata } = this.#item
    const remove = (change.remove ?? []).filter((name) => metadata.annotations?.[name] !== undefined)
    const { finalizers } = change
    const isKept = finalizers === undefined || isSame([...finalizers], metadata.finalizers ?? [])
    if (remove.length === 0 && isKept) return
    const value = {
      metadata: {
        resourceVersion: metadata.resourceVersion,
        ...(remove.length === 0 ? {} : { annotations: Object.fromEntries(remove.map((name) => [name, null])) }),
        ...(isKept ? {} : { finalizers }),
      },
    }
    this.#item = await this.#client.patch(
      metadata.name,
      { type: 'merge', value },
      { ...this.#at(), fieldValidation: 'Ignore', signal: this.#signal },
    )
    this.#hasWritten = true
  }

  /** Writes metadata and repeats the write with the current item after conflicts. */
  async retryMetadata(change: (item: DeployItem) => Parameters<ItemWriter['writeMetadata']>[0]): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        await this.writeMetadata(change(this.#item))
        return
      } catch (error) {
        if (!isConflict(error) || conflicts === maxConflicts) throw error
        await this.refresh()
      }
    }
  }

  /** True when the server still has the version of the decision. A successful write has proved it already. */
  async isCurrent(): Promise<boolean> {
    if (this.#hasWritten) return true
    const before = this.#item.metadata.resourceVersion
    await this.refresh()
    return this.#item.metadata.resourceVersion === before
  }

  async refresh(): Promise<void> {
    const { uid, name } = this.#item.metadata
    const found = await this.#client.get(name, { ...this.#at(), signal: this.#signal })
    if (found.metadata.uid !== uid) throw new Superseded(found)
    if (found.metadata.resourceVersion !== this.#item.metadata.resourceVersion) this.#hasForeignWrite = true
    this.#item = found
  }

  async #put(status: DeployItemStatus): Promise<void> {
    this.#signal.throwIfAborted()
    const { apiVersion, kind, metadata, spec } = this.#item
    const { name, namespace, uid, resourceVersion } = metadata
    // A status update ignores spec and metadata, and manifests are long, so they are left out.
    const brief = { name, namespace, uid, resourceVersion } as DeployItem['metadata']
    const complete = { observedGeneration: 0, ...status }
    this.#item = await this.#client.update(
      { apiVersion, kind, metadata: brief, spec: { type: spec.type }, status: complete },
      { subresource: 'status', fieldValidation: 'Ignore', signal: this.#signal },
    )
    this.#hasWritten = true
  }

  #at() {
    const { namespace } = this.#item.metadata
    return namespace === undefined ? {} : { namespace }
  }
}

/** Our status merged with the stored one. A final phase that the Landscaper set for this run is kept; a newer run is not overwritten. */
function mergedStatus(stored: DeployItemStatus, ours: DeployItemStatus, item: DeployItem): DeployItemStatus {
  const isSameRun =
    stored.observedGeneration === ours.observedGeneration && stored.lastReconcileTime === ours.lastReconcileTime
  if (!isSameRun) throw new Superseded(item)
  if (!isFinal(stored.phase) || stored.phase === undefined) return ours
  const { lastError: _, ...rest } = ours
  return { ...rest, phase: stored.phase, ...(stored.lastError === undefined ? {} : { lastError: stored.lastError }) }
}

function isSame(one: unknown, other: unknown): boolean {
  return equal(plain(one), plain(other))
}

/** Without undefined fields, as sent to the server. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
