/** What the flags of script hooks are in the end: a flag wins over the environment, the environment over the default. */
import { Option } from 'commander'
import { kebab } from '../../operator/settings.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import {
  type ScriptFlag,
  type ScriptFlagName,
  type ScriptValues,
  scriptFlags,
  variablesWithoutEffect,
} from './flags.ts'

export interface ResolvedScripts {
  readonly values: ScriptValues
  /** Those that somebody gave. */
  readonly given: ReadonlySet<ScriptFlagName>
  /** What was given and nothing comes of, with the reason. */
  readonly idle: readonly { readonly name: string; readonly reason: string }[]
}

const table = Object.entries(scriptFlags) as [ScriptFlagName, ScriptFlag<unknown>][]

/** The flags of one command. */
export function scriptFlagOptions(command: 'run' | 'shell-operator'): readonly Option[] {
  return table
    .filter(([, { shellOperatorOnly }]) => command === 'shell-operator' || shellOperatorOnly === undefined)
    .filter(([name]) => command === 'shell-operator' || name !== 'hooksDir')
    .map(([name, { env, value, meaning, withoutEffect, default: usual }]) => {
      const fallback = usual === '' || usual === false ? '' : `, default: ${String(usual)}`
      const what = withoutEffect === undefined ? plain(meaning) : `has no effect: ${plain(withoutEffect)}`
      const option = new Option(`--${kebab(name)} ${value}`, `${what} (env: ${env.join(', ')}${fallback})`)
      // Several authorities may come as several flags.
      return name.endsWith('ClientCa')
        ? option.argParser((next: string, before?: string) => (before === undefined ? next : `${before},${next}`))
        : option
    })
}

export function resolveScripts(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): ResolvedScripts {
  const values: Record<string, unknown> = {}
  const given = new Set<ScriptFlagName>()
  const idle: { name: string; reason: string }[] = []
  for (const [name, flag] of table) {
    const found = givenValue(name, flag, flags, env)
    values[name] = flag.default
    if (found === undefined) continue
    const value = flag.parse(found.text)
    if (value === undefined)
      throw new CarabinerError('CRB_SETTING_INVALID', `${found.place} must be ${flag.expected}, but is "${found.text}"`)
    values[name] = value
    given.add(name)
    if (flag.withoutEffect !== undefined) idle.push({ name: found.place, reason: plain(flag.withoutEffect) })
  }
  for (const [name, reason] of Object.entries(variablesWithoutEffect))
    if (env[name] !== undefined) idle.push({ name: `environment variable ${name}`, reason: plain(reason) })
  return { values: values as unknown as ScriptValues, given, idle }
}

function givenValue(
  name: string,
  { env: variables }: ScriptFlag<unknown>,
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
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
