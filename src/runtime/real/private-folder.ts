/**
 * Private folders of the machine. The calls are the synchronous ones: for files this small a thread's answer takes longer to arrive than the
 * work, and there is one folder for every run of every hook.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
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

  remove(): Promise<void> {
    return this.#explained(this.path, async () => {
      try {
        for (const name of this.#names) unlinkSync(join(this.path, name))
        rmdirSync(this.path)
      } catch {
        // Whoever used the folder removed one of its files or left others in it.
        await rm(this.path, { recursive: true, force: true })
      }
    })
  }
}
