/**
 * Private folders for the files of runs. Synchronous, because creating and reading small files is faster than passing them to a thread; and
 * reused, because on a journaling file system that is much faster than creating and removing files.
 */
import {
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { maxReusedFileBytes, type PrivateFolder } from '../files.ts'
import type { OwnFolders } from './own-folders.ts'
import type { Removals } from './removals.ts'

type WithFileErrors = <T>(path: string, action: () => Promise<T>) => Promise<T>

const mode = 0o600

export function makePrivateFolder(
  place: { readonly parent: string; readonly own?: OwnFolders },
  names: readonly string[],
  removals: Removals,
  withFileErrors: WithFileErrors,
): Promise<PrivateFolder> {
  const { parent, own } = place
  return withFileErrors(parent, async () => {
    const path = mkdtempSync(join(own === undefined ? parent : await own.below(parent), 'run-'))
    for (const name of names) makeEmpty(join(path, name))
    return new RealFolder(path, names, removals, withFileErrors)
  })
}

class RealFolder implements PrivateFolder {
  readonly #first: string
  #path: string
  #renewals = 0
  readonly #names: readonly string[]
  readonly #removals: Removals
  readonly #withFileErrors: WithFileErrors
  readonly #written = new Set<string>()

  constructor(path: string, names: readonly string[], removals: Removals, withFileErrors: WithFileErrors) {
    this.#first = path
    this.#path = path
    this.#names = names
    this.#removals = removals
    this.#withFileErrors = withFileErrors
  }

  get path(): string {
    return this.#path
  }

  write(name: string, content: string): Promise<void> {
    const path = join(this.path, name)
    this.#written.add(name)
    return this.#withFileErrors(path, async () => overwrite(path, Buffer.from(content)))
  }

  readNonEmpty(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    return this.#withFileErrors(this.path, async () => {
      const filled = names.filter((name) => (statSync(join(this.path, name), { throwIfNoEntry: false })?.size ?? 0) > 0)
      return Object.fromEntries(filled.map((name) => [name, readFileSync(join(this.path, name), 'utf8')]))
    })
  }

  renew(): Promise<boolean> {
    return this.#withFileErrors(this.path, async () => {
      if (readdirSync(this.path).length !== this.#names.length) return false
      if (!this.#names.every((name) => this.#renewFile(name))) return false
      const next = `${this.#first}-${++this.#renewals}`
      renameSync(this.path, next)
      this.#path = next
      return true
    })
  }

  remove(): Promise<void> {
    return this.#withFileErrors(this.path, () => this.#removals.remove(this.path))
  }

  #renewFile(name: string): boolean {
    const path = join(this.path, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    if (facts?.isFile() !== true || facts.nlink !== 1 || (facts.mode & 0o7777) !== mode) return false
    if (facts.size > maxReusedFileBytes) return false
    if (facts.size === 0 || this.#written.has(name)) return true
    // Truncating the file would write its old content to the disk first.
    unlinkSync(path)
    makeEmpty(path)
    return true
  }
}

function makeEmpty(path: string): void {
  closeSync(openSync(path, 'wx', mode))
}

/** Truncates after writing, not before: an emptied file is written to the disk when it is closed. */
function overwrite(path: string, content: Uint8Array): void {
  const file = openSync(path, 'r+')
  try {
    for (let done = 0; done < content.byteLength; ) done += writeSync(file, content, done)
    ftruncateSync(file, content.byteLength)
  } finally {
    closeSync(file)
  }
}
