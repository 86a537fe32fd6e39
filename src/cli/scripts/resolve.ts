/** Resolves the flags of script hooks: a flag wins over the environment, the environment over the default. */
import { Option } from 'commander'
import { kebab } from '../../operator/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import {
  type ScriptFlag,
  type ScriptFlagName,
  type ScriptValues,
  scriptFlags,
  variablesWithoutEffect,
} from './flags.ts'
import { moduleFlags, moduleVariablesWithoutEffect } from './module-flags.ts'

export interface ResolvedScripts {
  readonly values: ScriptValues
  /** The flags that were set explicitly. */
  readonly given: ReadonlySet<ScriptFlagName>
  /** Flags and variables that were set and have no effect, with the reason. */
  readonly withoutEffect: readonly { readonly name: string; readonly reason: string }[]
}

type FlagTable = Readonly<Record<string, ScriptFlag<unknown>>>

interface Resolved<T extends FlagTable> {
  readonly values: { readonly [K in keyof T]: T[K]['default'] }
  readonly given: ReadonlySet<keyof T>
  readonly withoutEffect: ResolvedScripts['withoutEffect']
}

const table = Object.entries(scriptFlags) as [ScriptFlagName, ScriptFlag<unknown>][]

/** The flags of one command. */
export function scriptFlagOptions(command: 'run' | 'shell-operator'): readonly Option[] {
  return table
    .filter(([, { shellOperatorOnly }]) => command === 'shell-operator' || shellOperatorOnly === undefined)
    .filter(([name]) => command === 'shell-operator' || name !== 'hooksDir')
    .map(([name, flag]) => {
      const option = optionOf(name, flag)
      // The flag may be repeated.
      return name.endsWith('ClientCa')
        ? option.argParser((next: string, before?: string) => (before === undefined ? next : `${before},${next}`))
        : option
    })
}

export function moduleFlagOptions(): readonly Option[] {
  return Object.entries(moduleFlags).map(([name, flag]) => optionOf(name, flag))
}

function optionOf(name: string, { env, value, meaning, withoutEffect, default: usual }: ScriptFlag<unknown>): Option {
  const shown = value === '<duration>' ? `${Number(usual) / 1000}s` : String(usual)
  const fallback = usual === '' || usual === false ? '' : `, default: ${shown}`
  const what = withoutEffect === undefined ? plain(meaning) : `has no effect: ${plain(withoutEffect)}`
  return new Option(`--${kebab(name)} ${value}`, `${what} (env: ${env.join(', ')}${fallback})`)
}

export function resolveScripts(flags: Flags, env: Environment): ResolvedScripts {
  return resolve(scriptFlags, variablesWithoutEffect, flags, env)
}

export function resolveModuleFlags(flags: Flags, env: Environment): Resolved<typeof moduleFlags> {
  return resolve(moduleFlags, moduleVariablesWithoutEffect, flags, env)
}

type Flags = Readonly<Record<string, unknown>>
type Environment = Readonly<Record<string, string | undefined>>

function resolve<T extends FlagTable>(
  table: T,
  withoutEffect: Readonly<Record<string, string>>,
  flags: Flags,
  env: Environment,
): Resolved<T> {
  const values: Record<string, unknown> = {}
  const given = new Set<string>()
  const unused: { name: string; reason: string }[] = []
  for (const [name, flag] of Object.entries(table)) {
    const found = givenValue(name, flag, flags, env)
    values[name] = flag.default
    if (found === undefined) continue
    const value = flag.parse(found.text)
    if (value === undefined)
      throw new CarabinerError('CRB_SETTING_INVALID', `${found.place} must be ${flag.expected}, but is "${found.text}"`)
    values[name] = value
    given.add(name)
    if (flag.withoutEffect !== undefined) unused.push({ name: found.place, reason: plain(flag.withoutEffect) })
  }
  for (const [name, reason] of Object.entries(withoutEffect))
    if (env[name] !== undefined) unused.push({ name: `environment variable ${name}`, reason: plain(reason) })
  return { values: values as Resolved<T>['values'], given, withoutEffect: unused }
}

function givenValue(
  name: string,
  { env: variables }: ScriptFlag<unknown>,
  flags: Flags,
  env: Environment,
): { readonly place: string; readonly text: string } | undefined {
  const flag = flags[name]
  if (flag !== undefined) return { place: `flag --${kebab(name)}`, text: flag === true ? '' : String(flag) }
  for (const variable of variables) {
    const text = env[variable]
    if (text !== undefined && text !== '') return { place: `environment variable ${variable}`, text }
  }
  return undefined
}

function plain(text: string): string {
  return text.replaceAll('`', '')
}
