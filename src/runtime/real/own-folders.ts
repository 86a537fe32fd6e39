/**
 * Folders for the files of this process alone, with a socket in each that the system closes when the process is gone, however it ended. So
 * whoever comes next knows without guessing which of them nobody needs any more, also from another container on the same disk.
 */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Removals } from './removals.ts'

const prefix = 'process-'
const socketName = 'alive'

export class OwnFolders {
  readonly #removals: Removals
  readonly #made = new Map<string, Promise<string>>()
  readonly #paths: string[] = []

  constructor(removals: Removals) {
    this.#removals = removals
  }

  /** The folder of this process below `parent`. When it is made, those of processes that are gone are removed. */
  async below(parent: string): Promise<string> {
    const known = this.#made.get(parent)
    // Whoever tidies up on this machine may have taken it away; and where making it failed there may be room by now.
    if (known !== undefined && existsSync(await known.catch(() => ''))) return known
    // Whoever asked at the same time may have made it meanwhile.
    const other = this.#made.get(parent)
    if (other !== undefined && other !== known) return other
    const made = this.#make(parent)
    this.#made.set(parent, made)
    return made
  }

  async #make(parent: string): Promise<string> {
    const made = mkdtempSync(join(parent, 'new-'))
    let path = made
    if (this.#paths.length === 0) process.once('exit', () => this.#removeOwn())
    if (await listens(join(made, socketName))) {
      path = made.replace(/new-([^/]*)$/, `${prefix}$1`)
      // Only now is it for others to judge: before, it would have looked like that of a dead one.
      renameSync(made, path)
    }
    this.#paths.push(path)
    this.#removeDead(parent, path).catch(() => undefined)
    return path
  }

  #removeOwn(): void {
    for (const path of this.#paths) rmSync(path, { recursive: true, force: true })
  }

  async #removeDead(parent: string, own: string): Promise<void> {
    for (const name of readdirSync(parent)) {
      const path = join(parent, name)
      if (!name.startsWith(prefix) || path === own || !(await isDead(join(path, socketName)))) continue
      // Whoever else starts now may be removing it, too.
      await this.#removals.remove(path).catch(() => undefined)
    }
  }
}

/** False where there can be none: a path that is too long, a file system without sockets. */
function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(false))
    server.listen(path, () => resolve(true))
    server.unref()
  })
}

/** What cannot be asked, for example because it belongs to another user, may live. */
function isDead(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED' || code === 'ENOENT'))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
}
