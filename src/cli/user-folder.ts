/**
 * The folder of this user for sockets and files of running processes. It needs no root: `$XDG_RUNTIME_DIR/carabiner`, else `~/.carabiner`, else
 * `carabiner-UID` in the folder for temporary files, for a read-only home. A folder that another user owns or can change is not used, because
 * that user could replace the files in it; every user can guess the name of the last one.
 */
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { CarabinerError, type FileFacts, type Runtime } from '../runtime/index.ts'

/** The part of the runtime that is needed here. */
export type FolderRuntime = Pick<Runtime, 'env' | 'files'>

/** The longest path of a unix socket that all platforms accept; macOS has the smallest limit. */
const maxSocketPathBytes = 103

/** 0 for root, and where users have no numbers. In a container a number often has no name. */
export const userId = (): number => process.getuid?.() ?? 0

/** Possible folders, the best first. */
export function userFolders({ env }: Pick<Runtime, 'env'>): readonly string[] {
  return [
    ...[env['XDG_RUNTIME_DIR'] ?? ''].filter(isAbsolute).map((folder) => join(folder, 'carabiner')),
    ...homeFolders({ env }),
  ]
}

/** The same without the first one, which is emptied when the user logs out. */
export function homeFolders({ env }: Pick<Runtime, 'env'>): readonly string[] {
  return [
    ...[env['HOME'] ?? ''].filter(isAbsolute).map((home) => join(home, '.carabiner')),
    join(temporaryFolder({ env }), `carabiner-${userId()}`),
  ]
}

const temporaryFolder = ({ env }: Pick<Runtime, 'env'>) => resolve([env['TMPDIR'] ?? ''].find(isAbsolute) ?? tmpdir())

export const fitsSocket = (path: string): boolean => Buffer.byteLength(path) <= maxSocketPathBytes

/** Why other users could change what is in a folder; undefined when they cannot. A group that may write is that of the user alone (umask 002). */
function fault({ kind, owned, link, mode }: FileFacts): string | undefined {
  if (link || kind !== 'directory') return 'it is not a directory'
  if (!owned) return 'it belongs to another user'
  return (mode & 0o002) === 0 ? undefined : 'other users can write to it'
}

/** In the folder for temporary files the sticky bit keeps others from replacing the folder; elsewhere the parent must be the user's own. */
async function parentFault({ env, files }: FolderRuntime, path: string): Promise<string | undefined> {
  if (dirname(path) === temporaryFolder({ env })) return undefined
  const facts = await files.facts(dirname(path))
  if (facts === undefined) return `${dirname(path)} does not exist`
  return facts.owned || facts.link ? undefined : `${dirname(path)} belongs to another user`
}

/** Whether a folder exists that only this user can change. */
export async function isOwnFolder({ files }: FolderRuntime, path: string): Promise<boolean> {
  const facts = await files.facts(path)
  return facts !== undefined && fault(facts) === undefined
}

/** Creates the first of the folders that can be created, that only this user can change, and in which a socket can have this name. */
export async function makeUserFolder(
  runtime: FolderRuntime,
  folders: readonly string[],
  socketName: string,
): Promise<string> {
  const refused: string[] = []
  for (const path of folders) {
    try {
      const fits = fitsSocket(join(path, socketName))
      const why = fits ? ((await parentFault(runtime, path)) ?? (await made(runtime, path))) : 'its path is too long'
      if (why === undefined) return path
      refused.push(`cannot use ${JSON.stringify(path)}: ${why}`)
    } catch (error) {
      refused.push((error as Error).message)
    }
  }
  throw new CarabinerError('CRB_USER_FOLDER_MISSING', `no folder for sockets and files: ${refused.join('; ')}`)
}

async function made({ files }: FolderRuntime, path: string): Promise<string | undefined> {
  await files.makeDirectory(path, { mode: 0o700 })
  const facts = await files.facts(path)
  return facts === undefined ? 'it does not exist' : fault(facts)
}
