/**
 * A lock on a folder that ends with its process, however that ends: `lock` in it is a folder with one listening socket, which the system closes.
 * A number of a process would not do: numbers are used again, and differ between containers on the same disk. Taking the lock is renaming a
 * prepared folder to `lock`, which fails while that folder is not empty; and the sockets of ended processes are removed by their own names, so
 * that two processes that start together never remove each other's.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { platform } from 'node:os'
import { join } from 'node:path'
import type { FolderLock } from '../files.ts'

/** Undefined while another process holds the lock. */
export async function lockFolder(folder: string): Promise<FolderLock | undefined> {
  mkdirSync(folder, { recursive: true })
  const prepared = mkdtempSync(join(folder, 'lock-'))
  const name = randomBytes(4).toString('hex')
  const server = createServer((socket) => socket.destroy())
  try {
    await listen(server, prepared, name)
    const lock = join(folder, 'lock')
    while (!isRenamed(prepared, lock)) {
      if (await isHeld(lock)) {
        server.close()
        rmSync(prepared, { recursive: true, force: true })
        return undefined
      }
    }
    return { release: async () => release(server, lock, name) }
  } catch (error) {
    server.close()
    rmSync(prepared, { recursive: true, force: true })
    throw error
  }
}

function release(server: Server, lock: string, name: string): void {
  rmSync(join(lock, name), { force: true })
  server.close()
  try {
    rmdirSync(lock)
  } catch {
    // Another process has already taken it.
  }
}

function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}

/** Removes the sockets of ended processes. */
async function isHeld(lock: string): Promise<boolean> {
  for (const name of namesIn(lock)) {
    if (await listens(lock, name)) return true
    rmSync(join(lock, name), { force: true })
  }
  return false
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function listen(server: Server, folder: string, name: string): Promise<void> {
  return atSocket(
    folder,
    name,
    (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(path, resolve)
        server.unref()
      }),
  )
}

/** A process that cannot be reached, for example because it belongs to another user, counts as running. */
function listens(folder: string, name: string): Promise<boolean> {
  return atSocket(
    folder,
    name,
    (path) =>
      new Promise((resolve) => {
        const socket = connect(path)
        socket.once('error', ({ code }: NodeJS.ErrnoException) =>
          resolve(!['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code ?? '')),
        )
        socket.once('connect', () => {
          socket.destroy()
          resolve(true)
        })
      }),
  )
}

/** The longest path of a socket on all platforms. */
const maxPathBytes = 103

/** On Linux a socket in a folder with a long path is reached through the open folder. */
async function atSocket<T>(folder: string, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, name)
  if (Buffer.byteLength(path) <= maxPathBytes || platform() !== 'linux') return use(path)
  const opened = openSync(folder, 'r')
  try {
    return await use(`/proc/self/fd/${opened}/${name}`)
  } finally {
    closeSync(opened)
  }
}
