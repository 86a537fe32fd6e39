/** A private folder in the files of a simulation, with the same rules for `renew` as on the machine. */
import { type FileFacts, maxReusedFileBytes, type PrivateFolder } from '../files.ts'
import type { Cell } from './cell.ts'

/** The part of the file tree that folders use. */
interface Tree {
  find(path: string): (Pick<FileFacts, 'kind' | 'mode'> & { readonly content: Uint8Array }) | undefined
  file(path: string): Uint8Array
  names(path: string): readonly string[]
  rename(from: string, to: string): void
  remove(path: string): void
}

export interface FolderStore {
  readonly cell: Cell
  readonly tree: Tree
  /** Writes a file of the user alone. */
  readonly store: (path: string, content: Uint8Array) => void
}

/** The folder at `first` with the files `all`, which exist. */
export function memoryFolder({ cell, tree, store }: FolderStore, first: string, all: readonly string[]): PrivateFolder {
  let path = first
  let renewals = 0
  const written = new Set<string>()
  const isReusable = (name: string): boolean => {
    const entry = tree.find(`${path}/${name}`)
    return entry?.kind === 'file' && entry.mode === 0o600 && entry.content.byteLength <= maxReusedFileBytes
  }
  return {
    get path() {
      return path
    },
    write: (name, content) => {
      written.add(name)
      return cell.deliver(() => {
        tree.file(`${path}/${name}`)
        store(`${path}/${name}`, new TextEncoder().encode(content))
      })
    },
    readNonEmpty: (names) =>
      cell.deliver(() => {
        const contentOf = (name: string) => tree.find(`${path}/${name}`)?.content
        const texts = names.map((name) => [name, new TextDecoder().decode(contentOf(name))] as const)
        return Object.fromEntries(texts.filter(([, text]) => text !== ''))
      }),
    renew: () =>
      cell.deliver(() => {
        if (tree.names(path).length !== all.length || !all.every(isReusable)) return false
        for (const name of all) if (!written.has(name)) store(`${path}/${name}`, new Uint8Array())
        const next = `${first}-${++renewals}`
        tree.rename(path, next)
        path = next
        return true
      }),
    remove: () =>
      cell.deliver(() => {
        tree.remove(path)
        cell.record(`file remove ${path}`)
      }),
  }
}
