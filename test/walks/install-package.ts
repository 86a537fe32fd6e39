/** What `npm install` of the packed package does, with the dependencies of the checkout instead of a registry. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

export function installPackage(checkout: string, project: string): void {
  const modules = join(project, 'node_modules')
  mkdirSync(modules, { recursive: true })
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', project]
  const file = execFileSync('npm', pack, { cwd: checkout, encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', join(project, file), '-C', modules])
  renameSync(join(modules, 'package'), join(modules, 'carabiner'))
  for (const name of readdirSync(join(checkout, 'node_modules')))
    if (name !== 'carabiner' && !['.cache', '.vite', '.package-lock.json'].includes(name))
      symlinkSync(join(checkout, 'node_modules', name), join(modules, name))
}
