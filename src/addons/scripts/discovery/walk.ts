/**
 * Files below a folder that may be hooks, in byte order of their paths. What is hidden or not a program is left out here; what a file binds
 * to is not asked.
 */
import type { Files } from '../../../runtime/files.ts'
import type { Logger } from '../../../runtime/log.ts'
import type { HookFile } from '../hook.ts'

export interface WalkRules {
  /** Folders of these names are passed by. */
  readonly skippedFolders: readonly string[]
  /** Files of these extensions are passed by, executable or not. */
  readonly skippedExtensions: readonly string[]
}

export interface FoundFile {
  /** Path below the folder where the walk began. */
  readonly relative: string
  readonly path: string
  readonly directory: string
  readonly executor: HookFile['executor']
}

const moduleExtensions = ['.js', '.mjs', '.ts', '.mts']

/** A file that imports this is a function hook, executable or not. `carabiner/hooks` is the name until 0.3. */
const hookPackage = /['"]carabiner\/(?:script-)?hooks['"]/

const executable = 0o111

/** Nothing there means no hooks. */
export async function walk(files: Files, log: Logger, root: string, rules: WalkRules): Promise<readonly FoundFile[]> {
  if ((await files.facts(root))?.kind !== 'directory') return []
  return walkFolder(files, log, root, '', rules)
}

async function walkFolder(
  files: Files,
  log: Logger,
  directory: string,
  prefix: string,
  rules: WalkRules,
): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  for (const name of await files.list(directory)) {
    if (name.startsWith('.')) continue
    const path = `${directory}/${name}`
    const relative = prefix + name
    const facts = await files.facts(path)
    if (facts?.kind === 'directory') {
      // A link may lead back to where we came from.
      if (facts.link || rules.skippedFolders.includes(name)) continue
      found.push(...(await walkFolder(files, log, path, `${relative}/`, rules)))
      continue
    }
    if (rules.skippedExtensions.some((extension) => name.endsWith(extension))) continue
    if (facts === undefined) log.warn('link leads nowhere and so is not a hook', { file: path })
    if (facts?.kind === 'file') {
      const executor = await executorOf(files, path, facts.mode)
      if (executor === undefined) log.warn('file is not executable and so not a hook', { file: path })
      else found.push({ relative, path, directory, executor })
    }
  }
  return found
}

async function executorOf(files: Files, path: string, mode: number): Promise<HookFile['executor'] | undefined> {
  if (moduleExtensions.some((extension) => path.endsWith(extension)) && hookPackage.test(await files.readText(path)))
    return 'worker'
  return (mode & executable) === 0 ? undefined : 'process'
}
