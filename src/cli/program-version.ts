/** The version in the package.json of this program. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from './package-folder.ts'

export function programVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8'))
  return (manifest as { version: string }).version
}
