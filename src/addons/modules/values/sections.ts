/**
 * Sorts values from a file or ConfigMap by module: a section of values for each module and one for all, and flags that enable and disable
 * modules.
 */
import { brief, kindOf } from '../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { flagKey, globalKey } from './keys.ts'

export interface Sections {
  /** By key of the module; `global` for all modules. */
  readonly sections: Readonly<Record<string, JsonObject>>
  /** By key of the module. */
  readonly flags: Readonly<Record<string, boolean>>
}

export interface ReadSections extends Sections {
  /** Errors by key as written. */
  readonly problems: Readonly<Record<string, string>>
  /** Keys that are ignored. */
  readonly unknown: readonly string[]
}

/** Functions that parse the parts and throw for invalid ones. */
export type Parts = Readonly<Record<string, () => unknown>>

export function readSections(parts: Parts, moduleKeys: readonly string[]): ReadSections {
  const sections: Record<string, JsonObject> = {}
  const flags: Record<string, boolean> = {}
  const problems: Record<string, string> = {}
  const known = new Set<string>()
  const read = (key: string, take: (value: Json) => string | undefined): void => {
    known.add(key)
    if (!Object.hasOwn(parts, key)) return
    const problem = problemOf(() => take((parts[key]?.() ?? null) as Json))
    if (problem !== undefined) problems[key] = problem
  }
  const section = (key: string, value: Json): boolean => {
    if (value !== null && !isJsonObject(value)) return false
    sections[key] = value ?? {}
    return true
  }
  /** False takes precedence when a section and a flag disagree. */
  const flag = (key: string, value: Json): boolean => {
    if (typeof value !== 'boolean') return false
    flags[key] = value && flags[key] !== false
    return true
  }
  read(globalKey, (value) =>
    section(globalKey, value) ? undefined : `expected a map of values, found ${kindOf(value)}`,
  )
  for (const key of moduleKeys) {
    read(key, (value) =>
      section(key, value) || flag(key, value)
        ? undefined
        : `expected a map of values, or true or false, found ${kindOf(value)}`,
    )
    read(flagKey(key), (value) => (flag(key, value) ? undefined : `expected true or false, found ${brief(value)}`))
  }
  return { sections, flags, problems, unknown: Object.keys(parts).filter((key) => !known.has(key)) }
}

function problemOf(read: () => string | undefined): string | undefined {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
