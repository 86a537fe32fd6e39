/**
 * Files in memory, shared by all domains of a simulation: a restarted process finds the files of its predecessor. Every operation is a
 * turn, so that concurrent writers can interleave in any order.
 */
import { concat } from '../bytes.ts'
import { CarabinerError } from '../errors.ts'
import type { AppendFile, FileFacts, Files, FolderLock } from '../files.ts'
import type { Random } from '../random.ts'
import type { Cell } from './cell.ts'
import { Disk, GrowingFile } from './disk.ts'
import { memoryFolder } from './private-folder.ts'

interface FileEntry extends Omit<FileFacts, 'size' | 'link' | 'owned'> {
  readonly content: Uint8Array
}

export class FileTree {
  readonly #entries = new Map<string, FileEntry>()
  readonly #disk = new Disk()
  readonly #locks = new Map<string, Cell>()
  readonly #watchers = new Set<{ readonly folder: string; readonly changed: () => void }>()

  constructor() {
    for (const path of ['/', '/tmp']) this.#entries.set(path, directory(0o755, 0))
  }

  get(path: string): FileEntry {
    const entry = this.#entries.get(normalize(path))
    if (entry === undefined) throw notFound(path)
    return entry
  }

  find(path: string): FileEntry | undefined {
    return this.#entries.get(normalize(path))
  }

  file(path: string): Uint8Array {
    const entry = this.get(path)
    if (entry.kind === 'directory') throw unusable(path, 'it is a directory')
    return entry.content
  }

  put(path: string, entry: FileEntry): void {
    const parent = this.get(parentOf(normalize(path)))
    if (parent.kind !== 'directory') throw unusable(path, 'a part of the path is not a directory')
    if (entry.kind === 'file' && this.find(path)?.kind === 'directory') throw unusable(path, 'it is a directory')
    this.#entries.set(normalize(path), entry)
    this.#report(path)
  }

  /** Calls `changed` for every change at or below the folder, until the returned function is called. */
  watch(folder: string, changed: () => void): () => void {
    const watcher = { folder: normalize(folder), changed }
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  #report(path: string): void {
    const whole = normalize(path)
    for (const { folder, changed } of this.#watchers)
      if (whole === folder || whole.startsWith(inside(folder)) || folder.startsWith(inside(whole))) changed()
  }

  makeDirectory(path: string, mode: number, now: number): void {
    const whole = normalize(path)
    const existing = this.#entries.get(whole)
    if (existing?.kind === 'directory') return
    if (existing !== undefined) throw unusable(path, 'a file is there')
    this.makeDirectory(parentOf(whole), 0o755, now)
    this.#entries.set(whole, directory(mode, now))
    this.#report(whole)
  }

  names(path: string): string[] {
    if (this.get(path).kind !== 'directory') throw unusable(path, 'it is not a directory')
    const prefix = inside(normalize(path))
    const below = [...this.#entries.keys()].filter((key) => key.startsWith(prefix) && key !== prefix)
    return below
      .map((key) => key.slice(prefix.length))
      .filter((name) => !name.includes('/'))
      .sort(byCodePoint)
  }

  remove(path: string): void {
    const whole = normalize(path)
    for (const [key, entry] of this.#below(whole)) {
      this.#entries.delete(key)
      if (entry instanceof GrowingFile) this.#disk.change({ folder: parentOf(key), removed: key })
    }
    this.#report(whole)
  }

  rename(from: string, to: string): void {
    const entry = this.get(from)
    this.get(parentOf(normalize(to)))
    const [source, target] = [normalize(from), normalize(to)]
    const moved = this.#below(source)
    if (!(entry instanceof GrowingFile)) this.remove(to)
    for (const [key] of moved) this.#entries.delete(key)
    for (const [key, file] of moved) this.#entries.set(target + key.slice(source.length), file)
    // One operation: after a crash the file has one of the two names.
    if (entry instanceof GrowingFile)
      this.#disk.change({ folder: parentOf(target), removed: source, added: [target, entry] })
    this.#report(source)
    this.#report(target)
  }

  #below(whole: string): readonly (readonly [string, FileEntry])[] {
    return [...this.#entries].filter(([key]) => key === whole || key.startsWith(inside(whole)))
  }

  createGrowing(path: string, now: number): GrowingFile {
    if (this.find(path) !== undefined) throw unusable(path, 'a file is there')
    const file = new GrowingFile(now)
    this.put(path, file)
    this.#disk.change({ folder: parentOf(normalize(path)), added: [normalize(path), file] })
    return file
  }

  syncDirectory(path: string): void {
    this.get(path)
    this.#disk.syncFolder(normalize(path))
  }

  /** Loses what was not synced. */
  crash(random: Random): void {
    for (const [path, entry] of this.#entries) if (entry instanceof GrowingFile) this.#entries.delete(path)
    for (const [path, file] of this.#disk.crash(random)) this.#entries.set(path, file)
  }

  lock(path: string, owner: Cell): FolderLock | undefined {
    const whole = normalize(path)
    const holder = this.#locks.get(whole)
    if (holder !== undefined && !holder.halted) return undefined
    this.#locks.set(whole, owner)
    return {
      release: () => owner.deliver(() => void this.#locks.delete(whole)),
    }
  }
}

/** Called before each operation that changes the disk; it may throw, or halt the process, which then does nothing more. */
export type DiskListener = (operation: string) => void

interface MemoryFilesOptions {
  readonly tree: FileTree
  readonly random: Random
  readonly onDisk: DiskListener
}

export function createMemoryFiles(cell: Cell, { tree, random, onDisk }: MemoryFilesOptions): Files {
  const now = (): number => cell.now()
  const operate = <T>(operation: string, perform: () => T): Promise<T> =>
    cell.deliver(() => {
      onDisk(operation)
      return cell.halted ? new Promise<never>(() => undefined) : perform()
    })
  const appendFile = (path: string, file: GrowingFile): AppendFile => ({
    append: (content) => operate(`append ${path}`, () => file.append(content, now())),
    sync: () => operate(`sync ${path}`, () => file.sync()),
    close: () => cell.deliver(() => undefined),
  })
  const store = (path: string, content: Uint8Array, mode: number): void => {
    tree.put(path, { kind: 'file', content, mode: tree.find(path)?.mode ?? mode, modified: now() })
    cell.record(`file write ${path} ${content.byteLength} bytes`)
  }
  const folders = { cell, tree, store: (path: string, content: Uint8Array) => store(path, content, 0o600) }
  return {
    read: (path, limit) => cell.deliver(() => tree.file(path).slice(0, limit)),
    readText: (path) => cell.deliver(() => new TextDecoder().decode(tree.file(path))),
    write: (path, content, options) => cell.deliver(() => store(path, bytesOf(content), options?.mode ?? 0o644)),
    append: (path, content) =>
      cell.deliver(() => store(path, concat([tree.find(path)?.content ?? new Uint8Array(), bytesOf(content)]), 0o644)),
    list: (path) => cell.deliver(() => tree.names(path)),
    facts: (path) => cell.deliver(() => factsOf(tree.find(path))),
    makeDirectory: (path, options) => cell.deliver(() => tree.makeDirectory(path, options?.mode ?? 0o755, now())),
    makeTemporary: (prefix) =>
      cell.deliver(() => {
        const path = `/tmp/${prefix}${random.uuid().slice(0, 6)}`
        tree.makeDirectory(path, 0o700, now())
        return path
      }),
    makePrivate: (parent, names) =>
      cell.deliver(() => {
        tree.get(parent)
        const path = `${parent}/${random.uuid().slice(0, 8)}`
        tree.makeDirectory(path, 0o700, now())
        for (const name of names) store(`${path}/${name}`, new Uint8Array(), 0o600)
        return memoryFolder(folders, path, names)
      }),
    createAppend: (path) => operate(`create ${path}`, () => appendFile(path, tree.createGrowing(path, now()))),
    syncDirectory: (path) => operate(`sync ${path}`, () => tree.syncDirectory(path)),
    lock: (path) =>
      cell.deliver(() => {
        tree.makeDirectory(path, 0o755, now())
        return tree.lock(path, cell)
      }),
    rename: (from, to) =>
      operate(`rename ${from}`, () => {
        tree.rename(from, to)
        cell.record(`file rename ${from} ${to}`)
      }),
    remove: (path) =>
      operate(`remove ${path}`, () => {
        tree.remove(path)
        cell.record(`file remove ${path}`)
      }),
    watch: (folder, changed) => tree.watch(folder, () => void cell.scheduler.schedule(cell, 0, changed)),
  }
}

function factsOf(entry: FileEntry | undefined): FileFacts | undefined {
  if (entry === undefined) return undefined
  const { kind, content, mode, modified } = entry
  return { kind, size: content.byteLength, mode, modified, link: false, owned: true }
}

function directory(mode: number, modified: number): FileEntry {
  return { kind: 'directory', content: new Uint8Array(), mode, modified }
}

function normalize(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

function parentOf(whole: string): string {
  return whole.slice(0, Math.max(1, whole.lastIndexOf('/')))
}

function inside(whole: string): string {
  return whole === '/' ? '/' : `${whole}/`
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content.slice()
}

/** The default sort compares UTF-16 units, not code points. */
function byCodePoint(left: string, right: string): number {
  const [one, other] = [Array.from(left), Array.from(right)]
  const index = one.findIndex((letter, at) => letter !== other[at])
  if (index === -1) return one.length - other.length
  return (one[index]?.codePointAt(0) ?? -1) - (other[index]?.codePointAt(0) ?? -1)
}

function notFound(path: string): CarabinerError {
  return new CarabinerError('CRB_FILE_NOT_FOUND', `cannot use ${JSON.stringify(path)}: no such file or directory`)
}

function unusable(path: string, why: string): CarabinerError {
  return new CarabinerError('CRB_FILE_UNREADABLE', `cannot use ${JSON.stringify(path)}: ${why}`)
}
