/** What `carabiner run` has to know to run a folder of script hooks. */
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { HookLayout } from '../../addons/scripts/index.ts'
import type { Surface } from '../../operator/surface.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { packageFolder } from '../package-folder.ts'
import { type SocketOptions, socketOption, socketPath } from '../socket.ts'

export interface ScriptOptions extends SocketOptions {
  readonly hooksDir?: string
  readonly workingDir?: string
  readonly skipInvalidHooks?: boolean
  readonly debug?: string | boolean
}

/** Where the document's users look for what waits in the queue. */
const queueFiles = ['/tmp/addon-operator-queue', '/tmp/addon-operator-tasks-queue']

export function scriptOptions(command: Command): void {
  command
    .option('--hooks-dir <folder>', 'run the executables in this folder as hooks, as shell-operator does')
    .option('--working-dir <folder>', 'run the hooks below global-hooks of this folder, as addon-operator does')
    .option('--skip-invalid-hooks', 'leave out hooks that cannot be loaded instead of refusing to start')
    .option('--debug [choice]', 'yes turns on debug messages, as RLOG_LOG_LEVEL=DEBUG does')
  socketOption(command)
}

export async function scriptSurfaces(options: ScriptOptions, runtime: Runtime): Promise<readonly Surface[]> {
  const place = placeOf(options)
  if (place === undefined) return []
  const { skipInvalidHooks = false } = options
  const { scriptsSurface } = await import('../../addons/scripts/index.ts')
  const isDocument = place.layout === 'document'
  return [
    scriptsSurface({
      place,
      skipInvalidHooks,
      frameworkDir: join(packageFolder(), 'dist/addons/scripts/framework'),
      tmpDir: isDocument ? '/tmp/addon-operator' : '/tmp/shell-operator',
      debug: [{ socket: socketPath({ runtime }, options) }],
      queueFiles: isDocument ? queueFiles : [],
    }),
  ]
}

function placeOf({ hooksDir, workingDir }: ScriptOptions): HookLayout | undefined {
  if (hooksDir !== undefined && workingDir !== undefined)
    throw new CarabinerError('CRB_SETTING_INVALID', 'flags --hooks-dir and --working-dir exclude each other', {
      remedy: 'Give one of them: --working-dir for a folder with global-hooks, --hooks-dir for a folder of hooks.',
    })
  if (hooksDir !== undefined) return { layout: 'folder', hooksDir: resolve(hooksDir) }
  return workingDir === undefined ? undefined : { layout: 'document', workingDir: resolve(workingDir) }
}
