/**
 * The writes of one run to its item. Each carries the version it was decided on, so that nobody's write is lost; what a deployer did is
 * written even when somebody else was faster, because it happened.
 */
import type { ResourceClient } from '../../kube/client/client.ts'
import { isConflict } from '../../kube/errors.ts'
import { equal } from '../../patch/equal.ts'
import type { Json } from '../../runtime/json.ts'
import type { DeployItem, DeployItemStatus } from '../resources/types.ts'
import { isFinal } from './phases.ts'

/** Another run of the item has begun elsewhere: whatever this one wanted to say is out of date. */
export class Superseded extends Error {
  constructor(item: DeployItem) {
    super(`another run of ${item.metadata.namespace}/${item.metadata.name} has begun`)
    this.name = 'Superseded'
  }
}

const mostConflicts = 10

export class ItemWriter {
  readonly #client: ResourceClient<DeployItem>
  readonly #signal: AbortSignal
  #item: DeployItem
  #hasWritten = false
  #isForeign = false
  /** Writes of one run wait for each other, because each needs the version that the one before it made. */
  #turn: Promise<unknown> = Promise.resolve()

  /** Nothing is written any more once `signal` has aborted. */
  constructor(client: ResourceClient<DeployItem>, item: DeployItem, signal: AbortSignal) {
    this.#client = client
    this.#item = item
    this.#signal = signal
  }

  /** The item as the server last told it. */
  get item(): DeployItem {
    return this.#item
  }

  /** The version that holds nothing but what this run has seen and made; undefined when somebody else wrote in between. */
  get version(): string | undefined {
    return this.#isForeign ? undefined : this.#item.metadata.resourceVersion
  }

  /** Rejects with a conflict when the item is not what it was decided on. */
  async writeStatus(status: DeployItemStatus): Promise<void> {
    if (isSame(status, this.#item.status ?? {})) return
    await this.#put(status)
  }

  /** Writes what came of a deployer's work, over whatever was written meanwhile. */
  recordStatus(status: DeployItemStatus): Promise<void> {
    const writing = this.#turn.then(() => this.#record(structuredClone(status)))
    this.#turn = writing.catch(() => undefined)
    return writing
  }

  async #record(status: DeployItemStatus): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      const wanted = conflicts === 0 ? status : reconciled(this.#item.status ?? {}, status, this.#item)
      if (isSame(wanted, this.#item.status ?? {})) return
      try {
        await this.#put(wanted)
        return
      } catch (error) {
        if (!isConflict(error) || conflicts === mostConflicts) throw error
        await this.refresh()
      }
    }
  }

  /** Removes annotations and changes the finalizers; no write when there is nothing to change. */
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

  /** Repeats a change of metadata for the item as it is, until nobody interferes. */
  async insistOnMetadata(change: (item: DeployItem) => Parameters<ItemWriter['writeMetadata']>[0]): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        await this.writeMetadata(change(this.#item))
        return
      } catch (error) {
        if (!isConflict(error) || conflicts === mostConflicts) throw error
        await this.refresh()
      }
    }
  }

  /** True when the server still has what was decided on. A write that went through has proved it already. */
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
    if (found.metadata.resourceVersion !== this.#item.metadata.resourceVersion) this.#isForeign = true
    this.#item = found
  }

  async #put(status: DeployItemStatus): Promise<void> {
    this.#signal.throwIfAborted()
    const { apiVersion, kind, metadata, spec } = this.#item
    const { name, namespace, uid, resourceVersion } = metadata
    // The rest of an item is not looked at when its status is written, and manifests are long.
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

/** Ours on top of what is stored now. A verdict of the landscaper on this very run stands; a newer run is not disturbed. */
function reconciled(stored: DeployItemStatus, ours: DeployItemStatus, item: DeployItem): DeployItemStatus {
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

/** Without fields that are undefined, as the wire has it. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json
}
