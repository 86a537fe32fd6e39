/**
 * Private folders of the machine, one for every run of every hook. Making and reading files this small is quicker than waiting for a
 * thread to do it.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PrivateFolder } from '../files.ts'
import type { Removals } from './removals.ts'

type Explained = <T>(path: string, action: () => Promise<T>) => Promise<T>

export function makePrivateFolder(
  parent: string,
  names: readonly string[],
  removals: Removals,
  explained: Explained,
): Promise<PrivateFolder> {
  return explained(parent, async () => {
    const path = mkdtempSync(join(parent, 'run-'))
    for (const name of names) closeSync(openSync(join(path, name), 'wx', 0o600))
    return new RealFolder(path, removals, explained)
  })
}

class RealFolder implements PrivateFolder {
  readonly path: string
  readonly #removals: Removals
  readonly #explained: Explained

  constructor(path: string, removals: Removals, explained: Explained) {
    this.path = path
    this.#removals = removals
    this.#explained = explained
  }

  write(name: string, content: string): Promise<void> {
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
    return this.#explained(this.path, () => this.#removals.remove(this.path))
  }
}
