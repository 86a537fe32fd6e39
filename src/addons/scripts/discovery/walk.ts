/** Finds files in a folder that may be hooks, in byte order of their paths. Skips hidden files and files that are not executable. */
import { append, type Files, type Logger } from '../../../runtime/index.ts'
import type { HookFile } from '../hook.ts'

export interface WalkRules {
  /** Names of folders to skip. */
  readonly skippedFolders: readonly string[]
  /** Extensions of files to skip, even if they are executable. */
  readonly skippedExtensions: readonly string[]
}

export interface FoundFile {
  /** The path relative to the root folder. */
  readonly relative: string
  readonly path: string
  readonly directory: string
  readonly executor: HookFile['executor']
}

const moduleExtensions = ['.js', '.mjs', '.ts', '.mts']

/** A file that imports this is a function hook, executable or not. `carabiner/hooks` is the name until 0.3. */
const hookPackage = /['"]carabiner\/(?:script-)?hooks['"]/

const executable = 0o111

/** Returns no files for a missing folder. */
export async function walk(files: Files, log: Logger, root: string, rules: WalkRules): Promise<readonly FoundFile[]> {
  if ((await files.facts(root))?.kind !== 'directory') return []
  return walkFolder({ files, log, rules }, root, '')
}

interface WalkDependencies {
  readonly files: Files
  readonly log: Logger
  readonly rules: WalkRules
}

async function walkFolder(dependencies: WalkDependencies, directory: string, prefix: string): Promise<FoundFile[]> {
  const { files, log, rules } = dependencies
  const found: FoundFile[] = []
  for (const name of await files.list(directory)) {
    if (name.startsWith('.')) continue
    const path = `${directory}/${name}`
    const relative = prefix + name
    const facts = await files.facts(path)
    if (facts?.kind === 'directory') {
      // Links to folders may form a cycle.
      if (facts.link || rules.skippedFolders.includes(name)) continue
      append(found, await walkFolder(dependencies, path, `${relative}/`))
      continue
    }
    if (rules.skippedExtensions.some((extension) => name.endsWith(extension))) continue
    if (facts === undefined) log.warn('ignoring a dangling link', { file: path })
    if (facts?.kind === 'file') {
      const executor = await executorOf(files, path, facts.mode)
      if (executor === undefined) log.warn('ignoring a file that is not executable', { file: path })
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
