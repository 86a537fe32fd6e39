/**
 * Loads a deployer from a file. Imports of this package are resolved to the running program, so that the file needs neither a package.json nor
 * an installation of the package.
 */
import { readFileSync } from 'node:fs'
import nodeModule from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Deployer } from '../../deployers/index.ts'
import { CarabinerError, type Files } from '../../runtime/index.ts'
import { packageFolder } from '../package-folder.ts'

/** The default export: one deployer or an array of deployers. */
export async function loadDeployers(files: Files, path: string): Promise<readonly Deployer[]> {
  const file = resolve(path)
  const facts = await files.facts(file)
  if (facts?.kind !== 'file')
    throw new CarabinerError('CRB_FILE_NOT_FOUND', `no deployer file at ${path}`, {
      remedy: facts === undefined ? 'Check the path.' : `${path} is a folder; pass the file.`,
    })
  registerPackage()
  let exported: unknown
  try {
    exported = ((await import(pathToFileURL(file).href)) as { readonly default?: unknown }).default
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new CarabinerError('CRB_DEPLOYER_UNLOADABLE', `${path}: ${message}`, {
      cause: error,
      // A SyntaxError of an import has no position.
      ...(error instanceof SyntaxError ? { remedy: `\`node --check ${path}\` shows the line.` } : {}),
    })
  }
  const all: readonly unknown[] = Array.isArray(exported) ? exported : [exported]
  if (all.length > 0 && all.every(isDeployer)) return all
  throw new CarabinerError('CRB_DEPLOYER_UNLOADABLE', `${path}: its default export is not a deployer`)
}

function isDeployer(value: unknown): value is Deployer {
  return typeof value === 'object' && value !== null && 'type' in value && 'hooks' in value && 'forceReconcile' in value
}

let isRegistered = false

function registerPackage(): void {
  if (isRegistered) return
  isRegistered = true
  const packages = packageUrls()
  const loader = `let packages; export const initialize = (data) => { packages = data }
export const resolve = (specifier, context, next) =>
  specifier in packages ? { url: packages[specifier], shortCircuit: true } : next(specifier, context)`
  nodeModule.register(`data:text/javascript,${encodeURIComponent(loader)}`, { data: packages })
}

/** The files of the subpath exports of this package by import name. */
function packageUrls(): Readonly<Record<string, string>> {
  const folder = packageFolder()
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  }
  const urls: Record<string, string> = {}
  for (const [path, target] of Object.entries(exports))
    if (typeof target === 'object') urls[join(name, path)] = pathToFileURL(join(folder, target.default)).href
  return urls
}
