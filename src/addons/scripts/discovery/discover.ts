/**
 * Finds hooks in one of two layouts: the document layout with `global-hooks` and `modules` in a working directory, and a plain folder of
 * hooks. The layouts differ in hook names, skipped files and the working directory of `--config`.
 */
import { CarabinerError, type Files, type Logger } from '../../../runtime/index.ts'
import type { HookFile, HookScope } from '../hook.ts'
import { type FoundFile, type WalkRules, walk } from './walk.ts'

export type HookLayout =
  /** Global hooks are in `global-hooks` in the working directory by default; hooks of modules are found per module. */
  | { readonly layout: 'document'; readonly workingDir: string; readonly globalHooksDir?: string }
  | { readonly layout: 'folder'; readonly hooksDir: string }

const everything: WalkRules = { skippedFolders: [], skippedExtensions: [] }

const folderRules: WalkRules = { skippedFolders: ['lib'], skippedExtensions: ['.yaml', '.json', '.md', '.txt'] }

/** All hooks of the layout, in byte order of their paths. */
export async function discoverHooks(files: Files, log: Logger, place: HookLayout): Promise<readonly HookFile[]> {
  if (place.layout === 'folder') {
    const root = withoutSlash(place.hooksDir)
    await checkFolder(files, root)
    const found = await walk(files, log, root, folderRules)
    return found.map((file) => ({ ...hookFile(file, '', root, 'standalone'), configDirectory: root })).sort(byPath)
  }
  const root = withoutSlash(place.workingDir)
  const folder = withoutSlash(place.globalHooksDir ?? `${root}/global-hooks`)
  if (place.globalHooksDir !== undefined) await checkFolder(files, folder)
  const found = await walk(files, log, folder, everything)
  const prefix = folder.slice(folder.lastIndexOf('/') + 1)
  return found.map((file) => hookFile(file, `${prefix}/`, root, 'global')).sort(byPath)
}

/** Hooks of one module, with names relative to the modules folder: `001-m/hooks/b.sh`. */
export async function discoverModuleHooks(
  files: Files,
  log: Logger,
  workingDir: string,
  module: { readonly path: string; readonly folder: string },
): Promise<readonly HookFile[]> {
  const found = await walk(files, log, `${withoutSlash(module.path)}/hooks`, everything)
  const prefix = `${module.folder}/hooks/`
  return found.map((file) => hookFile(file, prefix, withoutSlash(workingDir), 'module')).sort(byPath)
}

function hookFile({ relative, path, directory, executor }: FoundFile, prefix: string, root: string, scope: HookScope) {
  return { name: prefix + relative, path, directory, configDirectory: directory, workingDir: root, scope, executor }
}

/** A configured folder must exist, because without it no hook would run. */
async function checkFolder(files: Files, folder: string): Promise<void> {
  const facts = await files.facts(folder)
  if (facts?.kind === 'directory') return
  const isFile = facts === undefined ? '' : ': it is a file; name its folder'
  throw new CarabinerError('CRB_FILE_NOT_FOUND', `there is no hooks folder ${folder}${isFile}`)
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path
}

/** Compares the bytes of the whole path, so `a-b` comes before `a/b`. */
function byPath(left: HookFile, right: HookFile): number {
  const [one, other] = [left.name, right.name].map((name) => new TextEncoder().encode(name))
  const length = Math.min(one?.length ?? 0, other?.length ?? 0)
  for (let at = 0; at < length; at++) {
    const difference = (one?.[at] ?? 0) - (other?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return (one?.length ?? 0) - (other?.length ?? 0)
}
