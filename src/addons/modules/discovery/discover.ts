/**
 * Finds the modules in one or more folders and what their files of values say. Nothing is run, and nothing is decided about which of them
 * are on.
 */
import { CarabinerError } from '../../../runtime/errors.ts'
import type { Files } from '../../../runtime/files.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Sections } from '../values/sections.ts'
import { invalid, type Module, readModuleName } from './module.ts'
import { readStaticValues } from './static-values.ts'

export interface FoundModules {
  /** By number, then by name. */
  readonly modules: readonly Module[]
  readonly static: Sections
}

export interface DiscoverOptions {
  /** The order of folders without a number. @default there must be a number */
  readonly unnumbered?: number
}

const executable = 0o111

/** Several folders in one setting, joined as in PATH. */
export function modulesDirs(text: string): readonly string[] {
  const dirs = text.split(':').map((dir) => (dir.length > 1 ? dir.replace(/\/+$/, '') : dir))
  return [...new Set(dirs.filter((dir) => dir !== ''))]
}

/** A folder that is missing has no modules. Of modules with the same name in several folders, that of the first one counts. */
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
          throw invalid(module.path, `has the same name as ${other.folder} beside it`)
        else log.info('module is passed by: an earlier folder has it', { module: module.path, instead: other.path })
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

/** Links are followed; one that leads nowhere is no folder. */
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
    log.warn('file is not executable and so switches no module off', { file: `${path}/enabled` })
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
