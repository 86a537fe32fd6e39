/**
 * A module: a folder with hooks, a chart or both. Its name tells its place among the others: `010-node-exporter` comes before
 * `020-ingress`. Whether it is switched on is not known here.
 */
import { CarabinerError } from '../../../runtime/errors.ts'
import { flagKey, globalKey, keyOfModule, switchedBy } from '../values/keys.ts'

export interface Module {
  /** Without the number; also the name of its release. */
  readonly name: string
  /** Where its values are found: the name in camel case. */
  readonly key: string
  readonly order: number
  /** Name of the folder. */
  readonly folder: string
  readonly path: string
  /** The program that may switch it off. */
  readonly enabledScript: string | undefined
  /** A whole chart, only templates of one, or hooks alone. */
  readonly chart: 'whole' | 'templates' | undefined
}

export interface ModuleName extends Pick<Module, 'name' | 'key' | 'order'> {}

/** Each part begins with a letter, for the key has no dashes and must still tell where they were. */
const form = /^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/

/** Helm allows no longer name of a release. */
const longest = 53

/** @param unnumbered the order of a folder without a number; without it there must be one. */
export function readModuleName(folder: string, path: string, unnumbered: number | undefined): ModuleName {
  const { number, name = '' } = /^(?:(?<number>[0-9]+)-)?(?<name>.*)$/s.exec(folder)?.groups ?? {}
  const order = number === undefined ? unnumbered : Number(number)
  if (order === undefined) throw invalid(path, 'has no number in front, such as 010-node-exporter')
  if (!form.test(name))
    throw invalid(path, `has the name "${name}"; names are words of small letters and digits, joined with dashes`)
  if (name.length > longest) throw invalid(path, `has a name of ${name.length} characters; ${longest} are allowed`)
  const key = keyOfModule(name)
  if (key === globalKey || switchedBy(key) !== undefined)
    throw invalid(path, `has the name "${name}", whose key ${key} has another meaning among values`)
  return { name, key, order }
}

export function invalid(path: string, what: string): CarabinerError {
  return new CarabinerError('CRB_MODULE_INVALID', `the module folder ${path} ${what}.`)
}

/** Keys that belong to a module in files of values. */
export function ownKeys({ key }: Pick<Module, 'key'>): readonly string[] {
  return [key, flagKey(key)]
}
