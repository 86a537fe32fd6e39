/** The folder of this package, for the modules and for the bundle. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function packageFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** The folder of `shell_lib.sh`. */
export function frameworkDir(): string {
  return join(packageFolder(), 'dist/addons/scripts/framework')
}
