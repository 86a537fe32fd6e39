/**
 * Finds, reads and merges kubeconfig files as kubectl does: the first file that defines an entry wins, entries are never merged, paths are
 * relative to their file. `context.ts` interprets the entries.
 */
import { CarabinerError, isJsonObject, type Json, type JsonObject, type Runtime } from '../../runtime/index.ts'
import { parseYaml } from '../manifest/parse.ts'
import { homeOf } from './paths.ts'

/** A cluster, user or context with its file, for errors and relative paths. */
export interface Entry {
  readonly name: string
  readonly file: string
  readonly fields: JsonObject
}

export interface Kubeconfig {
  /** The files that were read, for error messages. */
  readonly files: readonly string[]
  readonly currentContext: string
  readonly clusters: ReadonlyMap<string, Entry>
  readonly users: ReadonlyMap<string, Entry>
  readonly contexts: ReadonlyMap<string, Entry>
}

/** The kubeconfig of `path`, else of KUBECONFIG, else of the home directory; undefined when none of the latter exists. */
export async function loadKubeconfig(
  { files, env }: Pick<Runtime, 'files' | 'env'>,
  path?: string,
): Promise<Kubeconfig | undefined> {
  const listed = path === undefined ? searchPath(env) : [path]
  const found: { readonly file: string; readonly document: JsonObject }[] = []
  for (const file of listed) {
    if ((await files.facts(file)) === undefined) {
      if (path === undefined) continue
      throw new CarabinerError('CRB_KUBECONFIG_MISSING', `The kubeconfig ${file} does not exist.`, {
        remedy: 'Check the path given with --kubeconfig.',
      })
    }
    found.push({ file, document: documentOf(await readText(files, file), file) })
  }
  return found.length === 0 ? undefined : merged(found)
}

/** Parses a kubeconfig that is not a file; `name` replaces the file in errors, and relative paths have no base. */
export function parseKubeconfig(text: string, name: string): Kubeconfig {
  return merged([{ file: name, document: documentOf(text, name) }])
}

function merged(found: readonly { readonly file: string; readonly document: JsonObject }[]): Kubeconfig {
  const contexts = found.map(({ document }) => scalarText(document['current-context']))
  return {
    files: found.map(({ file }) => file),
    currentContext: contexts.find((name) => name) ?? '',
    clusters: entries(found, 'clusters', 'cluster'),
    users: entries(found, 'users', 'user'),
    contexts: entries(found, 'contexts', 'context'),
  }
}

/** The files kubectl reads when none is named. */
export function searchPath(env: Runtime['env']): string[] {
  const list = env['KUBECONFIG']
  if (!list) return [`${homeOf(env)}/.kube/config`]
  const windows = env['OS'] === 'Windows_NT'
  return [...new Set(list.split(windows ? ';' : ':').filter((file) => file !== ''))]
}

async function readText(files: Runtime['files'], file: string): Promise<string> {
  try {
    return await files.readText(file)
  } catch (cause) {
    if (cause instanceof CarabinerError) throw cause
    throw new CarabinerError('CRB_FILE_UNREADABLE', `The kubeconfig ${file} cannot be read.`, { cause })
  }
}

function documentOf(text: string, file: string): JsonObject {
  const document = parseYaml(text, file)
  if (document === null || document === undefined) return {}
  if (!isJsonObject(document)) throw invalid(file, 'the document', 'is not a mapping')
  return document
}

function entries(
  found: readonly { readonly file: string; readonly document: JsonObject }[],
  list: string,
  inner: string,
): Map<string, Entry> {
  const all = new Map<string, Entry>()
  for (const { file, document } of found) {
    const items = document[list] ?? []
    if (!Array.isArray(items)) throw invalid(file, list, 'is not a list')
    items.forEach((item, index) => {
      const name = isJsonObject(item) ? scalarText(item['name']) : undefined
      if (!isJsonObject(item) || name === undefined) {
        throw invalid(file, `${list}[${index}].name`, 'is missing')
      }
      const fields = item[inner] ?? {}
      if (!isJsonObject(fields)) throw invalid(file, `${list}[${index}].${inner}`, 'is not a mapping')
      if (!all.has(name)) all.set(name, { name, file, fields })
    })
  }
  return all
}

/** As in kubectl, an unquoted number or boolean is accepted as a string. */
export function scalarText(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export function invalid(file: string, field: string, problem: string, remedy?: string): CarabinerError {
  return new CarabinerError(
    'CRB_KUBECONFIG_INVALID',
    `${file}: ${field} ${problem}.`,
    remedy === undefined ? {} : { remedy },
  )
}
