/**
 * Saves every change of the storage before the request that made it is answered. While one group of changes is written and synced, the next group
 * collects. Each start, each failure and each time that the changes outgrow the snapshot, a new file begins with a snapshot: so nothing is ever
 * appended after a part whose state on the disk is unknown, and the folder stays bounded.
 */
import {
  type AppendFile,
  CarabinerError,
  concat,
  type Json,
  type JsonObject,
  type Runtime,
} from '../../../../runtime/index.ts'
import type { StoreState } from '../store.ts'
import { changesLine, headerLine, type ObjectChange, objectLine } from './format.ts'
import { encodeLine } from './lines.ts'

export interface JournalPlace {
  readonly settings: JsonObject
  /** The greatest resourceVersion that was reserved before; 0 in a new folder. */
  readonly firstRevision: number
  readonly folder: string
  readonly unfinished: string
  /** Data files that the first new one replaces. */
  readonly older: readonly string[]
  fileOf(count: number): string
  /** The changes may take as much space as the snapshot, and at least this. */
  readonly compactionBytes: number
}

/** The snapshot is written in parts, so that requests are served in between. */
const partBytes = 256 * 1024
/** A restart continues after the reserved resourceVersions, because clients may have seen some whose changes were lost. */
const reservedRevisions = 100_000
const retryMs = 1_000

interface Waiter {
  readonly upTo: number
  resolve(): void
  reject(error: Error): void
}

export class Journal {
  readonly #runtime: Runtime
  readonly #place: JournalPlace
  #snapshot: () => StoreState = () => ({ revision: 0, collections: new Map() })
  #file: AppendFile | undefined
  #older: readonly string[]
  #files = 0
  #snapshotBytes = 0
  #changeBytes = 0
  #pending: ObjectChange[] = []
  /** Numbers of changes. */
  #recorded = 0
  #saved = 0
  #revision: number
  #reservedRevision: number
  #waiters: Waiter[] = []
  #work: Promise<void> | undefined
  #failure: { readonly error: Error; readonly at: number } | undefined

  constructor(runtime: Runtime, place: JournalPlace) {
    this.#runtime = runtime
    this.#place = place
    this.#older = place.older
    this.#revision = place.firstRevision
    this.#reservedRevision = place.firstRevision
  }

  /** Begins with the objects that `snapshot` returns, which is called for each new file. */
  start(snapshot: () => StoreState): void {
    this.#snapshot = snapshot
    this.#recorded++
    this.#save()
  }

  record(change: ObjectChange): void {
    this.#recorded++
    this.#revision = change.revision
    if (this.#failure !== undefined) return
    this.#pending.push(change)
    this.#save()
  }

  /** Resolves when the next change may be made; rejects while the folder cannot be written. */
  async ready(): Promise<void> {
    const failure = this.#failure
    if (failure !== undefined) {
      if (this.#runtime.clock.monotonic() - failure.at < retryMs) throw failure.error
      await this.#retry()
    }
    if (this.#revision >= this.#reservedRevision) await this.flushed()
  }

  /** Resolves when every change recorded so far survives a crash; rejects when one could not be saved. */
  flushed(): Promise<void> {
    const upTo = this.#recorded
    if (this.#saved >= upTo) return Promise.resolve()
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    return new Promise((resolve, reject) => {
      this.#waiters.push({ upTo, resolve, reject })
    })
  }

  /** Saves what is left. */
  async close(): Promise<void> {
    await this.flushed().catch(() => undefined)
    await this.#work
    await this.#file?.close()
    this.#file = undefined
  }

  #retry(): Promise<void> {
    this.#failure = undefined
    // A new file is needed even if no change waits.
    this.#recorded++
    this.#save()
    return this.flushed()
  }

  #save(): void {
    this.#work ??= this.#saveAll()
  }

  async #saveAll(): Promise<void> {
    // All changes of one turn form one group.
    await Promise.resolve()
    try {
      while (this.#saved < this.#recorded) await this.#saveGroup()
    } catch (error) {
      this.#fail(error)
    }
    // In the turn that found nothing left: a change recorded later starts again.
    this.#work = undefined
  }

  async #saveGroup(): Promise<void> {
    const upTo = this.#recorded
    const changes = this.#pending
    this.#pending = []
    const reserved = this.#nextReserved()
    if (this.#file === undefined || this.#changeBytes > Math.max(this.#place.compactionBytes, this.#snapshotBytes)) {
      await this.#beginFile(reserved)
    } else {
      const line = encodeLine(changesLine(changes, reserved))
      await this.#file.append(line)
      await this.#file.sync()
      this.#changeBytes += line.byteLength
    }
    this.#reservedRevision = reserved
    this.#saved = upTo
    const done = this.#waiters.filter((waiter) => waiter.upTo <= upTo)
    this.#waiters = this.#waiters.filter((waiter) => waiter.upTo > upTo)
    for (const waiter of done) waiter.resolve()
  }

  /** Reserves more long before the reserved ones are used up. */
  #nextReserved(): number {
    const left = this.#reservedRevision - this.#revision
    return this.#file !== undefined && left > reservedRevisions / 2
      ? this.#reservedRevision
      : this.#revision + reservedRevisions
  }

  async #beginFile(reservedRevision: number): Promise<void> {
    const { files } = this.#runtime
    const { folder, unfinished, settings } = this.#place
    await this.#file?.close()
    this.#file = undefined
    const objects = objectsOf(this.#snapshot())
    await files.remove(unfinished)
    const file = await files.createAppend(unfinished)
    try {
      this.#snapshotBytes = await writeLines(file, [
        headerLine({ settings, reservedRevision, objects: objects.length }),
        ...objects.map(objectLine),
      ])
      await file.sync()
      const name = this.#place.fileOf(++this.#files)
      await files.rename(unfinished, name)
      const replaced = this.#older
      this.#older = [...replaced, name]
      await files.syncDirectory(folder)
      for (const older of replaced) await files.remove(older)
      this.#older = [name]
    } catch (error) {
      await file.close().catch(() => undefined)
      // The space may be needed by others.
      await files.remove(unfinished).catch(() => undefined)
      throw error
    }
    this.#file = file
    this.#changeBytes = 0
  }

  #fail(cause: unknown): void {
    const { folder } = this.#place
    const message = `the change cannot be saved in ${JSON.stringify(folder)}: ${(cause as Error).message}`
    const error = new CarabinerError('CRB_SANDBOX_DATA_NOT_SAVED', message, { cause })
    this.#failure = { error, at: this.#runtime.clock.monotonic() }
    this.#runtime.log.error('changes are refused until the data folder can be written', { folder, error: cause })
    // The snapshot of the next file contains these changes.
    this.#pending = []
    const file = this.#file
    this.#file = undefined
    void file?.close().catch(() => undefined)
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter.reject(error)
  }
}

function objectsOf({ collections }: StoreState): readonly ObjectChange[] {
  return Array.from(collections, ([collection, objects]) =>
    objects.map(([key, { revision, object }]) => ({ collection, key, revision, object })),
  ).flat()
}

/** Returns the number of bytes. */
async function writeLines(file: AppendFile, lines: Iterable<Json>): Promise<number> {
  let bytes = 0
  let part: Uint8Array[] = []
  let size = 0
  const flush = async () => {
    await file.append(concat(part))
    bytes += size
    part = []
    size = 0
  }
  for (const line of lines) {
    const encoded = encodeLine(line)
    part.push(encoded)
    size += encoded.byteLength
    if (size >= partBytes) await flush()
  }
  await flush()
  return bytes
}
