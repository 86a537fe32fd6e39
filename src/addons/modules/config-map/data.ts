/**
 * Reads the data of the ConfigMap (a YAML text per section and a flag per module) and applies the patches of hooks. Keys that a patch does
 * not change keep their exact text.
 */
import { toYaml } from '../../../kube/index.ts'
import { CarabinerError, isJsonObject, type JsonObject } from '../../../runtime/index.ts'
import { flagKey, globalKey } from '../values/keys.ts'
import { applyOperation, type ValuesPatch } from '../values/patch.ts'
import { type ReadSections, readSections } from '../values/sections.ts'
import { parseValues } from '../values/yaml.ts'

export type ConfigData = Readonly<Record<string, string>>

export function readConfigData(data: ConfigData, moduleKeys: readonly string[]): ReadSections {
  const parts = Object.entries(data).map(([key, text]) => [key, () => parseValues(text, 'line')] as const)
  return readSections(Object.fromEntries(parts), moduleKeys)
}

/** @param name of the ConfigMap, for messages */
export function patchConfigData(data: ConfigData, owner: string, patch: ValuesPatch, name: string): ConfigData {
  const patched = { ...data }
  if (patch.operations.length > 0) {
    const { section, flag } = sectionOf(data, owner, name)
    // The value `false` of the section key disables the module; keep it disabled when a section replaces this value.
    if (flag !== undefined) patched[flagKey(owner)] ??= String(flag)
    let document: JsonObject = { [owner]: section }
    for (const operation of patch.operations) document = applyOperation(document, operation, `ConfigMap ${name}`, owner)
    patched[owner] = toYaml(document[owner] ?? {})
  }
  for (const [flag, value] of Object.entries(patch.flags)) {
    if (value === undefined) delete patched[flag]
    else patched[flag] = String(value)
  }
  return patched
}

function sectionOf(data: ConfigData, owner: string, name: string) {
  const { sections, flags, problems } = readConfigData(
    { [owner]: data[owner] ?? '' },
    owner === globalKey ? [] : [owner],
  )
  const problem = problems[owner]
  if (problem !== undefined) throw invalidConfig(name, { [owner]: problem })
  const section = sections[owner]
  return { section: isJsonObject(section) ? section : {}, flag: flags[owner] }
}

export function invalidConfig(name: string, problems: Readonly<Record<string, string>>): CarabinerError {
  const all = Object.entries(problems).map(([key, problem]) => `${key}: ${problem}`)
  return new CarabinerError('CRB_CONFIG_MAP_INVALID', `ConfigMap ${name} cannot be used: ${all.join('; ')}.`)
}
