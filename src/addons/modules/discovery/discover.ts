/**
 * Finds the modules in one or more folders and reads their values files. Does not run anything and does not decide which modules are
 * enabled.
 */
import { CarabinerError, type Files, type Runtime } from '../../../runtime/index.ts'
import type { Sections } from '../values/sections.ts'
import { invalid, type Module, readModuleName } from './module.ts'
import { readStaticValues } from './static-values.ts'

export interface FoundModules {
  /** Ordered by number, then by name. */
  readonly modules: readonly Module[]
  readonly static: Sections
}

export interface DiscoverOptions {
  /** The order of folders without a number. @default a number is required */
  readonly unnumbered?: number
}

const executable = 0o111

/** Splits a setting with several folders, separated by colons as in PATH. */
export function modulesDirs(text: string): readonly string[] {
  const dirs = text.split(':').map((dir) => (dir.length > 1 ? dir.replace(/\/+$/, '') : dir))
  return [...new Set(dirs.filter((dir) => dir !== ''))]
}

/** A missing folder has no modules. Of modules with the same name in several folders, the first one is used. */
export async function discoverModules(
  { files, log }: Pick<Runtime, 'files' | 'log'>,
  dirs: readonly string[],
  { unnumbered }: DiscoverOptions = {},
): Promise<FoundModules> {
  const found = new Map<string, Module>()
  const problems: string[] = []
  for (const dir of dirs) {
    for (const folder of await foldersIn(files, dir)) {
      try {
        const module = await readModule({ files, log }, dir, folder, unnumbered)
        const other = found.get(module.name)
        if (other === undefined) found.set(module.name, module)
        else if (other.path === `${dir}/${other.folder}`)
          throw invalid(module.path, `has the same name as ${other.folder} in the same folder`)
        else
          log.info('ignoring a module: an earlier folder has one with the same name', {
            module: module.path,
            instead: other.path,
          })
      } catch (error) {
        if (!(error instanceof CarabinerError)) throw error
        problems.push(error.message)
      }
    }
  }
  if (problems.length > 0) throw new CarabinerError('CRB_MODULE_INVALID', problems.join('\n'))
  const modules = [...found.values()].sort(byOrder)
  return { modules, static: await readStaticValues({ files, log }, dirs, modules) }
}

/** Follows links to folders; ignores dangling links. */
async function foldersIn(files: Files, dir: string): Promise<readonly string[]> {
  if ((await files.facts(dir))?.kind !== 'directory') return []
  const folders: string[] = []
  for (const name of await files.list(dir))
    if (!name.startsWith('.') && (await files.facts(`${dir}/${name}`))?.kind === 'directory') folders.push(name)
  return folders
}

async function readModule(
  { files, log }: Pick<Runtime, 'files' | 'log'>,
  dir: string,
  folder: string,
  unnumbered: number | undefined,
): Promise<Module> {
  const path = `${dir}/${folder}`
  const name = readModuleName(folder, path, unnumbered)
  const script = await files.facts(`${path}/enabled`)
  const isProgram = script?.kind === 'file' && (script.mode & executable) !== 0
  if (script !== undefined && !isProgram)
    log.warn('enabled script is not executable and is ignored', { file: `${path}/enabled` })
  return {
    ...name,
    folder,
    path,
    enabledScript: isProgram ? `${path}/enabled` : undefined,
    chart: await chartIn(files, path),
  }
}

async function chartIn(files: Files, path: string): Promise<Module['chart']> {
  if ((await files.facts(`${path}/Chart.yaml`))?.kind === 'file') return 'whole'
  return (await files.facts(`${path}/templates`))?.kind === 'directory' ? 'templates' : undefined
}

function byOrder(one: Module, other: Module): number {
  return one.order - other.order || (one.name < other.name ? -1 : 1)
}
