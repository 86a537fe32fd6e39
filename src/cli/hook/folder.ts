/** Loads the hooks of a folder with the code of the operator and provides a runner. All temporary files are removed at the end. */
import { resolve } from 'node:path'
import {
  discoverHooks,
  findHookName,
  type Hook,
  HookRunner,
  hookEnvironment,
  type InvalidHook,
  invalidHooks,
  isHookName,
  loadHooks,
} from '../../addons/scripts/index.ts'
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import { frameworkDir } from '../package-folder.ts'
import { filterOptions } from '../scripts/jq-modules.ts'

export interface HookFolder {
  readonly path: string
  readonly hooks: readonly Hook[]
  readonly invalid: readonly InvalidHook[]
  /** All hooks of the folder, loaded or not. */
  readonly names: readonly string[]
  readonly runner: HookRunner
}

export interface FolderOptions {
  readonly runtime: Runtime
  readonly folder: string
  readonly signal: AbortSignal
  /** Only these hooks are loaded. @default all */
  readonly isWanted?: (name: string) => boolean
}

export async function inFolder<T>(
  { runtime, folder, signal, isWanted = () => true }: FolderOptions,
  work: (hooks: HookFolder) => Promise<T>,
): Promise<T> {
  const path = resolve(folder)
  const env = hookEnvironment(runtime.env, frameworkDir())
  const tmpDir = await runtime.files.makeTemporary('carabiner-hook-')
  // The variable of the operator, so that filters find the same modules.
  const jq = filterOptions(runtime.env['JQ_LIBRARY_PATH'])
  const runner = new HookRunner(runtime, { tmpDir, env, jq })
  try {
    const found = await discoverHooks(runtime.files, runtime.log, { layout: 'folder', hooksDir: path })
    const functionConfig: HookRunner['functionConfig'] = (file) => runner.functionConfig(file)
    const names = found.map(({ name }) => name)
    const wanted = found.filter(({ name }) => isWanted(name))
    const loaded = await loadHooks(runtime, wanted, { env, jq, functionConfig, signal })
    return await work({ path, runner, names, ...loaded })
  } finally {
    await runner.close()
    await runtime.files.remove(tmpDir)
  }
}

/** Finds a hook by its name, with or without the extension. */
export function hookOf({ path, hooks, invalid, names: all }: HookFolder, name: string): Hook {
  const meant = findHookName(
    hooks.map((hook) => hook.name),
    name,
  )
  const found = hooks.find((hook) => hook.name === meant)
  if (found !== undefined) return found
  const bad = invalid.filter(({ file }) => isHookName(file.name, name))
  if (bad.length > 0) throw invalidHooks(bad, bad.length)
  const names = all.join(', ')
  throw new CarabinerError(
    'CRB_USAGE',
    `there is no hook ${name} in ${path}; ${names === '' ? 'the folder has no hooks' : `its hooks are ${names}`}`,
    { remedy: 'Use one of its hooks; a hook is an executable file (chmod +x) that is not in a folder named lib.' },
  )
}
