/** What differs between two states of the ConfigMap, for whoever decides what is run again. */
import { equal } from '../../../patch/equal.ts'
import { flagKey, globalKey } from '../values/keys.ts'
import type { ReadSections, Sections } from '../values/sections.ts'

export interface ConfigChange {
  /** The section for all. */
  readonly global: boolean
  /** Keys of modules whose section differs. */
  readonly modules: readonly string[]
  /** Keys of modules that are switched another way. */
  readonly flags: readonly string[]
}

/** Undefined when nothing does; a section that is not there is an empty one. */
export function changeOf(before: Sections, after: Sections): ConfigChange | undefined {
  const sections = keysOf(before.sections, after.sections).filter(
    (key) => !equal(before.sections[key] ?? {}, after.sections[key] ?? {}),
  )
  const flags = keysOf(before.flags, after.flags).filter((key) => before.flags[key] !== after.flags[key])
  if (sections.length === 0 && flags.length === 0) return undefined
  return { global: sections.includes(globalKey), modules: sections.filter((key) => key !== globalKey), flags }
}

/** What is wrong stays as it was before. */
export function withoutProblems(before: Sections, read: ReadSections, moduleKeys: readonly string[]): Sections {
  const sections = { ...read.sections }
  const flags = { ...read.flags }
  const restore = <T>(now: Record<string, T>, old: Readonly<Record<string, T>>, key: string): void => {
    const value = old[key]
    if (value === undefined) delete now[key]
    else now[key] = value
  }
  const isWrong = (key: string) => Object.keys(read.problems).some((one) => one === key || one === flagKey(key))
  for (const key of [globalKey, ...moduleKeys].filter(isWrong)) {
    restore(sections, before.sections, key)
    restore(flags, before.flags, key)
  }
  return { sections, flags }
}

function keysOf(...records: readonly object[]): readonly string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))].sort()
}
