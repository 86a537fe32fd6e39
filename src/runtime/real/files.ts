/** The file system of the machine. System errors become errors with a code and a remedy. */
import { lstatSync, statSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CarabinerError } from '../errors.ts'
import type { FileFacts, Files } from '../files.ts'
import { createAppend, syncDirectory } from './append-file.ts'
import { lockFolder } from './folder-lock.ts'
import { Guard } from './guard.ts'
import { readHead } from './head.ts'
import { OwnFolders } from './own-folders.ts'
import { makePrivateFolder } from './private-folder.ts'
import { Removals } from './removals.ts'
import { watchTree } from './watch-tree.ts'

export function createRealFiles(guard = new Guard()): Files {
  const removals = new Removals()
  const own = new OwnFolders(removals)
  return {
    read: (path, limit) =>
      withFileErrors(path, 'read', async () =>
        limit === undefined ? new Uint8Array(await readFile(path)) : readHead(path, limit),
      ),
    readText: (path) => withFileErrors(path, 'read', () => readFile(path, 'utf8')),
    write: (path, content, options) =>
      withFileErrors(path, 'write', () =>
        writeFile(path, content, { ...(options?.mode !== undefined && { mode: options.mode }) }),
      ),
    append: (path, content) => withFileErrors(path, 'append to', () => appendFile(path, content)),
    list: (path) => withFileErrors(path, 'list', async () => (await readdir(path)).sort(byCodePoint)),
    facts: (path) => withFileErrors(path, 'stat', async () => factsOf(path)),
    makeDirectory: (path, options) => withFileErrors(path, 'create', () => makeAll(path, options?.mode)),
    makeTemporary: (prefix, options) =>
      withFileErrors(prefix, 'create', async () => {
        const path = await mkdtemp(join(tmpdir(), prefix))
        if (options?.endsWithProcess === true) guard.addFolder(path)
        return path
      }),
    makePrivate: (parent, names, options) =>
      makePrivateFolder({ parent, ...(options?.outlives === true ? {} : { own }) }, names, removals, (path, action) =>
        withFileErrors(path, 'use', action),
      ),
    createAppend: (path) => createAppend(path, withFileErrors),
    syncDirectory: (path) => syncDirectory(path, withFileErrors),
    lock: (path) => withFileErrors(path, 'lock', () => lockFolder(path)),
    rename: (from, to) => withFileErrors(from, 'rename', () => rename(from, to)),
    remove: (path) => withFileErrors(path, 'remove', () => rm(path, { recursive: true, force: true })),
    watch: (folder, changed, isSkipped) => watchTree(folder, changed, isSkipped),
  }
}

/**
 * Like `mkdir -p`. Node's own recursive option never returns on a file system that answers "not found" when a folder cannot be created,
 * such as /proc.
 */
async function makeAll(path: string, mode = 0o777): Promise<void> {
  if (factsOf(path)?.kind === 'directory') return
  const parent = dirname(path)
  if (parent !== path) await makeAll(parent)
  try {
    await mkdir(path, { mode })
  } catch (error) {
    // Another process may have created it at the same time.
    if (factsOf(path)?.kind !== 'directory') throw error
  }
}

/** Synchronous, because a stat call takes a tenth of the time that passing it to a thread takes. */
function factsOf(path: string): FileFacts | undefined {
  try {
    const own = lstatSync(path)
    const link = own.isSymbolicLink()
    const facts = link ? statSync(path) : own
    const kind = facts.isFile() ? 'file' : facts.isDirectory() ? 'directory' : 'other'
    return {
      kind,
      size: facts.size,
      mode: facts.mode & 0o7777,
      modified: facts.mtimeMs,
      link,
      owned: own.uid === user(),
    }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Where users have no numbers, all files belong to number 0. */
function user(): number {
  return process.getuid?.() ?? 0
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

async function withFileErrors<T>(path: string, verb: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const code = isMissing(error) ? 'CRB_FILE_NOT_FOUND' : 'CRB_FILE_UNREADABLE'
    throw new CarabinerError(code, `cannot ${verb} ${JSON.stringify(path)}: ${reason(error)}`, { cause: error })
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const known: Record<string, string> = {
    ENOENT: 'no such file or directory',
    ENOTDIR: 'a part of the path is not a directory',
    EACCES: 'permission denied',
    EPERM: 'operation not permitted',
    EROFS: 'the file system is read-only',
    EISDIR: 'it is a directory',
    ENOSPC: 'no space left on the device',
  }
  return known[code ?? ''] ?? message
}

/** The default sort compares UTF-16 units, not code points. */
function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}
