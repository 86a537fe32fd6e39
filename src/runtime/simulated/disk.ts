/**
 * What a crash of the simulated machine leaves of files that grow at their end. Content that was not synced survives up to any byte, and may be
 * followed by zeros; names that were not synced survive up to any operation. Other files and folders lose nothing.
 */
import { concat } from '../bytes.ts'
import type { Random } from '../random.ts'

/** A file that grows at its end, under any name. */
export class GrowingFile {
  readonly kind = 'file'
  readonly mode = 0o600
  modified: number
  content: Uint8Array = new Uint8Array()
  #syncedBytes = 0

  constructor(modified: number) {
    this.modified = modified
  }

  append(bytes: Uint8Array, now: number): void {
    this.content = concat([this.content, bytes])
    this.modified = now
  }

  sync(): void {
    this.#syncedBytes = this.content.byteLength
  }

  crash(random: Random): void {
    const keep = this.#syncedBytes + Math.floor(random.next() * (this.content.byteLength - this.#syncedBytes + 1))
    const zeros = random.next() < 0.5 ? this.content.byteLength - keep : 0
    this.content = concat([this.content.slice(0, keep), new Uint8Array(zeros)])
    this.sync()
  }
}

interface NameChange {
  readonly folder: string
  readonly removed?: string
  readonly added?: readonly [path: string, file: GrowingFile]
}

export class Disk {
  readonly #names = new Map<string, GrowingFile>()
  #unsynced: NameChange[] = []

  change(change: NameChange): void {
    this.#unsynced.push(change)
  }

  syncFolder(folder: string): void {
    for (const change of this.#unsynced) if (change.folder === folder) this.#apply(change)
    this.#unsynced = this.#unsynced.filter((change) => change.folder !== folder)
  }

  /** The growing files that exist after the crash. */
  crash(random: Random): ReadonlyMap<string, GrowingFile> {
    const survived = Math.floor(random.next() * (this.#unsynced.length + 1))
    for (const change of this.#unsynced.slice(0, survived)) this.#apply(change)
    this.#unsynced = []
    for (const file of new Set(this.#names.values())) file.crash(random)
    return this.#names
  }

  #apply({ removed, added }: NameChange): void {
    if (removed !== undefined) this.#names.delete(removed)
    if (added !== undefined) this.#names.set(...added)
  }
}
