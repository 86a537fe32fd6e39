/**
 * The file system as far as the product needs it. Paths are the platform's own; missing files reject with `FileNotFound`.
 */
export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'other'
  readonly size: number
  /** Unix permission bits, for example 0o755. */
  readonly mode: number
  readonly modified: number
  /** The path itself is a symbolic link; everything else is told of what it points to. */
  readonly link: boolean
}

/** A file beyond this many bytes is not worth being kept for the next piece of work. */
export const largestKept = 64 * 1024

/** A directory that only this user can look into, for the files of one piece of work. */
export interface PrivateFolder {
  /** Another one after each `renew`. */
  readonly path: string
  /** Of a file that was made with the folder and is still there. */
  write(name: string, content: string): Promise<void>
  /** Texts of those of the files that are not empty, by name. */
  readFilled(names: readonly string[]): Promise<Readonly<Record<string, string>>>
  /**
   * Makes it ready for the next piece of work: what was written here waits to be written anew, everything else is empty again, and it lies at
   * another path, so that whoever still knows the old one finds nothing there; a file held open
   * stays in reach of who holds it. False when it must not be used any more, for somebody has put or linked something else there, or not
   * worth it, for a file has become large.
   */
  renew(): Promise<boolean>
  remove(): Promise<void>
}

export interface Files {
  /** The file's bytes; with `limit` only the first of them. */
  read(path: string, limit?: number): Promise<Uint8Array>
  readText(path: string): Promise<string>
  /** Writes the whole file; `mode` applies to a file that is created. */
  write(path: string, content: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>
  append(path: string, content: string | Uint8Array): Promise<void>
  /** Names in a directory, sorted by code point. */
  list(path: string): Promise<readonly string[]>
  /** Follows symbolic links; undefined when nothing is there. */
  facts(path: string): Promise<FileFacts | undefined>
  makeDirectory(path: string): Promise<void>
  /** A fresh private directory (mode 0700) whose name starts with `prefix`. */
  makeTemporary(prefix: string): Promise<string>
  /**
   * A fresh folder below `parent`, which must exist, with these files empty in it; made and removed in as few steps as possible. It goes with
   * this process, or, after a violent end, when the next one makes a folder below `parent`; unless it outlives it.
   */
  makePrivate(
    parent: string,
    names: readonly string[],
    options?: { readonly outlives?: boolean },
  ): Promise<PrivateFolder>
  rename(from: string, to: string): Promise<void>
  /** Removes a file or a whole directory; nothing there is not an error. */
  remove(path: string): Promise<void>
}
