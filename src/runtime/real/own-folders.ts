/**
 * Folders that belong to this process, each with a listening socket that the system closes when the process ends in any way. By that socket
 * the next process, also one in another container on the same disk, knows which folders it can remove.
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

  /** The folder of this process below `parent`. When it is created, folders of ended processes are removed. */
  async below(parent: string): Promise<string> {
    const known = this.#made.get(parent)
    // Create it again when a cleanup job has removed it or when creating it failed.
    if (known !== undefined && existsSync(await known.catch(() => ''))) return known
    // A concurrent call may have created it in the meantime.
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
      // Renamed once the socket listens: without it, another process would take the folder for that of an ended process.
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
      // Another process that starts now may remove it, too.
      await this.#removals.remove(path).catch(() => undefined)
    }
  }
}

/** Returns false where no socket is possible: the path is too long, or the file system has no sockets. */
function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(false))
    server.listen(path, () => resolve(true))
    server.unref()
  })
}

/** A process that cannot be reached, for example because it belongs to another user, counts as running. */
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
