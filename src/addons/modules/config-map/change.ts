/** The difference between two states of the ConfigMap. */
import { equal } from '../../../patch/index.ts'
import { flagKey, globalKey } from '../values/keys.ts'
import type { ReadSections, Sections } from '../values/sections.ts'

export interface ConfigChange {
  /** The section `global` differs. */
  readonly global: boolean
  /** Keys of modules whose section differs. */
  readonly modules: readonly string[]
  /** Keys of modules whose flag differs. */
  readonly flags: readonly string[]
}

/** Undefined when nothing differs; a missing section equals an empty one. */
export function changeOf(before: Sections, after: Sections): ConfigChange | undefined {
  const sections = keysOf(before.sections, after.sections).filter(
    (key) => !equal(before.sections[key] ?? {}, after.sections[key] ?? {}),
  )
  const flags = keysOf(before.flags, after.flags).filter((key) => before.flags[key] !== after.flags[key])
  if (sections.length === 0 && flags.length === 0) return undefined
  return { global: sections.includes(globalKey), modules: sections.filter((key) => key !== globalKey), flags }
}

/** Replaces invalid parts by their previous state. */
export function withPreviousForInvalid(before: Sections, read: ReadSections, moduleKeys: readonly string[]): Sections {
  const sections = { ...read.sections }
  const flags = { ...read.flags }
  const restore = <T>(now: Record<string, T>, old: Readonly<Record<string, T>>, key: string): void => {
    const value = old[key]
    if (value === undefined) delete now[key]
    else now[key] = value
  }
  const isInvalid = (key: string) => Object.keys(read.problems).some((one) => one === key || one === flagKey(key))
  for (const key of [globalKey, ...moduleKeys].filter(isInvalid)) {
    restore(sections, before.sections, key)
    restore(flags, before.flags, key)
  }
  return { sections, flags }
}

function keysOf(...records: readonly object[]): readonly string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))].sort()
}
