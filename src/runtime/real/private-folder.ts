/**
 * Private folders of the machine, one for every run of every hook. Making and reading files this small is quicker than waiting for a
 * thread to do it; removing them is not, where a file system keeps a journal.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmdir, statSync, unlink, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PrivateFolder } from '../files.ts'

type Explained = <T>(path: string, action: () => Promise<T>) => Promise<T>

export function makePrivateFolder(
  parent: string,
  names: readonly string[],
  explained: Explained,
): Promise<PrivateFolder> {
  return explained(parent, async () => {
    const path = mkdtempSync(join(parent, 'run-'))
    for (const name of names) closeSync(openSync(join(path, name), 'wx', 0o600))
    return new RealFolder(path, names, explained)
  })
}

class RealFolder implements PrivateFolder {
  readonly path: string
  readonly #names: Set<string>
  readonly #explained: Explained

  constructor(path: string, names: readonly string[], explained: Explained) {
    this.path = path
    this.#names = new Set(names)
    this.#explained = explained
  }

  write(name: string, content: string): Promise<void> {
    this.#names.add(name)
    const path = join(this.path, name)
    return this.#explained(path, async () => writeFileSync(path, content, { mode: 0o600 }))
  }

  readFilled(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    return this.#explained(this.path, async () => {
      const filled = names.filter((name) => (statSync(join(this.path, name), { throwIfNoEntry: false })?.size ?? 0) > 0)
      return Object.fromEntries(filled.map((name) => [name, readFileSync(join(this.path, name), 'utf8')]))
    })
  }

  /** Answers whether the folder is gone with the files that were put into it. */
  #empty(): Promise<boolean> {
    return new Promise((resolve) => {
      let left = this.#names.size
      const next = (): void => {
        if (--left === 0) rmdir(this.path, (error) => resolve(error === null))
      }
      for (const name of this.#names) unlink(join(this.path, name), next)
    })
  }

  remove(): Promise<void> {
    return this.#explained(this.path, async () => {
      // Whoever used the folder may have left other files in it.
      if (!(await this.#empty())) await rm(this.path, { recursive: true, force: true })
    })
  }
}
