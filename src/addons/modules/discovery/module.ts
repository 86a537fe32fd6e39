/** A module: a folder with hooks, a chart or both. The number in its name sets its order: `010-node-exporter` runs before `020-ingress`. */
import { CarabinerError } from '../../../runtime/index.ts'
import { flagKey, globalKey, keyOfModule, moduleOfFlag } from '../values/keys.ts'

export interface Module {
  /** Without the number; also the name of its release. */
  readonly name: string
  /** The key of its values: the name in camel case. */
  readonly key: string
  readonly order: number
  /** The name of the folder. */
  readonly folder: string
  readonly path: string
  /** The script that may disable it. */
  readonly enabledScript: string | undefined
  /** A complete chart, a folder with templates only, or no chart. */
  readonly chart: 'whole' | 'templates' | undefined
}

export interface ModuleName extends Pick<Module, 'name' | 'key' | 'order'> {}

/** Each part begins with a letter, so that different names always have different keys. */
const namePattern = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/

/** The limit of helm for release names. */
const maxNameLength = 53

/** @param unnumbered the order of a folder without a number; undefined to require a number */
export function readModuleName(folder: string, path: string, unnumbered: number | undefined): ModuleName {
  const { number, name = '' } = /^(?:(?<number>[0-9]+)-)?(?<name>.*)$/s.exec(folder)?.groups ?? {}
  const order = number === undefined ? unnumbered : Number(number)
  if (order === undefined) throw invalid(path, 'has no number prefix, such as in 010-node-exporter')
  if (!namePattern.test(name))
    throw invalid(
      path,
      `has the name "${name}"; a name consists of lower-case words joined by dashes; each word begins with a letter and may contain digits`,
    )
  if (name.length > maxNameLength)
    throw invalid(path, `has a name of ${name.length} characters; at most ${maxNameLength} are allowed`)
  const key = keyOfModule(name)
  if (key === globalKey || moduleOfFlag(key) !== undefined)
    throw invalid(path, `has the name "${name}", whose key ${key} is reserved in values`)
  return { name, key, order }
}

export function invalid(path: string, what: string): CarabinerError {
  return new CarabinerError('CRB_MODULE_INVALID', `the module folder ${path} ${what}.`)
}

/** The keys of a module in values files. */
export function ownKeys({ key }: Pick<Module, 'key'>): readonly string[] {
  return [key, flagKey(key)]
}
