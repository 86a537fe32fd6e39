/** Creates the script hooks surface from the flags of `carabiner run`. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { HookLayout } from '../../addons/scripts/index.ts'
import type { Surface } from '../../operator/index.ts'
import { CarabinerError, type Runtime } from '../../runtime/index.ts'
import type { ClusterOptions } from '../cluster.ts'
import { moduleFlags } from '../scripts/module-flags.ts'
import { moduleFlagOptions, resolveScripts, scriptFlagOptions } from '../scripts/resolve.ts'
import { operatorFolders, type SocketOptions, socketOption } from '../socket.ts'

export interface ScriptOptions extends SocketOptions, ClusterOptions {
  readonly hooksDir?: string
  /** True when the flag has no value. */
  readonly workingDir?: string | true
  readonly globalHooksDir?: string
  readonly modulesDir?: string
  readonly debug?: string | boolean
  readonly watch?: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

const defaultWorkingDir = '/addons'

const globalHooksVariables = ['ADDON_OPERATOR_GLOBAL_HOOKS_DIR', 'GLOBAL_HOOKS_DIR']
const modulesVariables = moduleFlags.modulesDir.env

export function scriptOptions(command: Command): void {
  command
    .option(
      '--hooks-dir <folder>',
      'run the executables in this folder as hooks, like shell-operator (env: SHELL_OPERATOR_HOOKS_DIR)',
    )
    .option(
      '--working-dir [folder]',
      `run the hooks in global-hooks and the modules in modules of this folder, like addon-operator (env: ADDON_OPERATOR_WORKING_DIR, without a value: ${defaultWorkingDir})`,
    )
    .option(
      '--global-hooks-dir <folder>',
      'run the hooks in this folder instead of global-hooks of the working directory (env: ADDON_OPERATOR_GLOBAL_HOOKS_DIR, GLOBAL_HOOKS_DIR)',
    )
    .option('--watch', 'reload hooks of --hooks-dir when their files change; runs are then not journaled')
    .option('--debug [choice]', 'yes sets the log level to debug, like RLOG_LOG_LEVEL=DEBUG')
  for (const option of [...moduleFlagOptions(), ...scriptFlagOptions('run')]) command.addOption(option)
  socketOption(command)
}

export async function scriptSurfaces(
  options: ScriptOptions,
  runtime: Runtime,
  podNamespace: string,
): Promise<readonly Surface[]> {
  const place = layoutOf(options, runtime.env)
  if (options.watch === true && place?.layout !== 'folder')
    throw new CarabinerError('CRB_SETTING_INVALID', 'flag --watch needs a folder of hooks: --hooks-dir', {
      remedy: 'Add --hooks-dir FOLDER, or leave out --watch.',
    })
  if (place === undefined) return []
  const resolved = resolveScripts({ ...options }, runtime.env)
  const { scriptsSurfaceOf } = await import('../scripts/surface.ts')
  const modules = { flags: { ...options }, cluster: options }
  const folders = await operatorFolders(runtime, options)
  return [
    await scriptsSurfaceOf(place, resolved, runtime, { podNamespace, folders, modules, watch: options.watch ?? false }),
  ]
}

/** The layout of the hooks; flags win over the environment, and empty variables are ignored. */
export function layoutOf(options: ScriptOptions, env: Environment): HookLayout | undefined {
  const { hooksDir, workingDir, globalHooksDir, modulesDir } = options
  const isByFlag = [hooksDir, workingDir, globalHooksDir, modulesDir].some((flag) => flag !== undefined)
  const folder = isByFlag ? hooksDir : given(env, 'SHELL_OPERATOR_HOOKS_DIR')
  const isDocument = isByFlag
    ? [workingDir, globalHooksDir, modulesDir].some((flag) => flag !== undefined)
    : given(env, 'ADDON_OPERATOR_WORKING_DIR', ...globalHooksVariables, ...modulesVariables) !== undefined
  if (folder !== undefined && isDocument)
    throw new CarabinerError('CRB_SETTING_INVALID', 'flags --hooks-dir and --working-dir exclude each other', {
      remedy: 'Use one of them: --working-dir for a folder with global-hooks, --hooks-dir for a folder of hooks.',
    })
  if (folder !== undefined) return { layout: 'folder', hooksDir: resolve(folder) }
  return isDocument ? documentLayout(options, env) : undefined
}

function documentLayout({ workingDir, globalHooksDir }: ScriptOptions, env: Environment): HookLayout {
  const usual = given(env, 'ADDON_OPERATOR_WORKING_DIR') ?? defaultWorkingDir
  // --working-dir also wins over a variable for the global hooks.
  const elsewhere =
    typeof workingDir === 'string' ? globalHooksDir : (globalHooksDir ?? given(env, ...globalHooksVariables))
  return {
    layout: 'document',
    workingDir: resolve(typeof workingDir === 'string' ? workingDir : usual),
    ...(elsewhere === undefined ? {} : { globalHooksDir: resolve(elsewhere) }),
  }
}

/** The first of these variables that is not empty. */
function given(env: Environment, ...names: readonly string[]): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '')
}

/** Adds the listen variables of shell-operator and addon-operator; those of Carabiner win. */
export function withListenVariables(env: Environment): Environment {
  const either = (name: string) => env[`SHELL_OPERATOR_${name}`] ?? env[`ADDON_OPERATOR_${name}`]
  return {
    CARABINER_LISTEN_ADDRESS: either('LISTEN_ADDRESS'),
    CARABINER_LISTEN_PORT: either('LISTEN_PORT'),
    ...env,
  }
}
