/**
 * The file system operations the product needs. Paths have the form of the platform; a missing file rejects with CRB_FILE_NOT_FOUND.
 */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other'
  readonly size: number
  /** Unix permission bits, for example 0o755. */
  readonly mode: number
  readonly modified: number
  /** Whether the path itself is a symbolic link; the other fields describe its target. */
  readonly link: boolean
  /** Whether the path itself belongs to the user of this process. */
  readonly owned: boolean
}

/** A private folder with a larger file is not used again. */
export const maxReusedFileBytes = 64 * 1024

/** A directory that only this user can read, for the files of one run. */
export interface PrivateFolder {
  /** Changes with each `renew`. */
  readonly path: string
  /** Overwrites a file that was created with the folder and still exists. */
  write(name: string, content: string): Promise<void>
  /** The contents of the files that are not empty, by name. */
  readNonEmpty(names: readonly string[]): Promise<Readonly<Record<string, string>>>
  /**
   * Prepares the folder for the next run: files that were written through `write` keep their content until the next `write`, all others are
   * emptied, and the folder gets a new path, so that a process left over from the last run finds nothing at the old path (a file it holds
   * open stays readable to it). Returns false when the folder must not be used again: it holds an unknown file or link, or a file has
   * become larger than `maxReusedFileBytes`.
   */
  renew(): Promise<boolean>
  remove(): Promise<void>
}

/** A file that grows at its end. */
export interface AppendFile {
  append(content: Uint8Array): Promise<void>
  /** Resolves when everything appended so far survives a crash of the machine. */
  sync(): Promise<void>
  close(): Promise<void>
}

export interface FolderLock {
  release(): Promise<void>
}

export interface Files {
  /** The file's bytes; with `limit` at most that many from its start. */
  read(path: string, limit?: number): Promise<Uint8Array>
  readText(path: string): Promise<string>
  /** Replaces the whole file; `mode` applies only when the file is created. */
  write(path: string, content: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>
  append(path: string, content: string | Uint8Array): Promise<void>
  /** Names in a directory, sorted by code point. */
  list(path: string): Promise<readonly string[]>
  /** Follows symbolic links; undefined when nothing is there. */
  facts(path: string): Promise<FileFacts | undefined>
  /** Like `mkdir -p`; `mode` applies only to the last directory, and only when it is created. */
  makeDirectory(path: string, options?: { readonly mode?: number }): Promise<void>
  /**
   * A fresh private directory (mode 0700) whose name starts with `prefix`. With `endsWithProcess` it is removed when this process ends,
   * also when it is killed, after the processes with `endsWithParent`.
   */
  makeTemporary(prefix: string, options?: { readonly endsWithProcess?: boolean }): Promise<string>
  /**
   * A new folder below `parent`, which must exist, with these files in it, all empty. Unless `outlives` is set, it is removed when this
   * process exits or, if the process was killed, when the next process creates a folder below `parent`.
   */
  makePrivate(
    parent: string,
    names: readonly string[],
    options?: { readonly outlives?: boolean },
  ): Promise<PrivateFolder>
  /** A new file for this user alone (mode 0600); rejects when something has this path. */
  createAppend(path: string): Promise<AppendFile>
  /** Resolves when the names in a directory survive a crash of the machine: files that were created, renamed or removed in it. */
  syncDirectory(path: string): Promise<void>
  /** Holds a folder, which is created, until `release` or the end of this process in any way; undefined while another process holds it. */
  lock(path: string): Promise<FolderLock | undefined>
  rename(from: string, to: string): Promise<void>
  /** Removes a file or a whole directory; a missing path is not an error. */
  remove(path: string): Promise<void>
  /**
   * Calls `changed` after something in the folder, at any depth, may have changed: reading it shows what. The folder may be missing and
   * appear later. A change is reported at least once, within two seconds also where the system reports none, and there are calls without
   * a change. `isSkipped` is asked for the name of each folder. Returns a function that ends it.
   */
  watch(folder: string, changed: () => void, isSkipped?: (name: string) => boolean): () => void
}
