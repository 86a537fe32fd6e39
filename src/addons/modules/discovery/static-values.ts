/**
 * Values that come with the modules: `values.yaml` beside them, for all and for each, and the one of each module, which may only speak of itself.
 */
import { CarabinerError } from '../../../runtime/errors.ts'
import { isJsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { mergeLayers } from '../values/merge.ts'
import { readSections, type Sections } from '../values/sections.ts'
import { parseValues } from '../values/yaml.ts'
import { type Module, ownKeys } from './module.ts'

export async function readStaticValues(
  { files, log }: Pick<Runtime, 'files' | 'log'>,
  dirs: readonly string[],
  modules: readonly Module[],
): Promise<Sections> {
  const keys = modules.map(({ key }) => key)
  let all: Sections = { sections: {}, flags: {} }
  for (const dir of dirs) all = above(all, await read(`${dir}/values.yaml`, keys))
  for (const module of modules) {
    const file = `${module.path}/values.yaml`
    const { sections, flags, strange } = await read(file, [module.key], ownKeys(module))
    if (strange.length > 0)
      log.warn('values of a module are not read: they belong below its own key', { file, key: module.key, strange })
    all = above(all, { sections, flags })
  }
  return all

  async function read(file: string, moduleKeys: readonly string[], only?: readonly string[]) {
    if ((await files.facts(file))?.kind !== 'file') return { sections: {}, flags: {}, strange: [] }
    const document = parseValues(await files.readText(file), file) ?? {}
    if (!isJsonObject(document)) throw new CarabinerError('CRB_MODULE_INVALID', `${file} is not a map of values.`)
    const entries = Object.entries(document)
    const wanted = only === undefined ? entries : entries.filter(([key]) => only.includes(key))
    const parts = Object.fromEntries(wanted.map(([key, value]) => [key, () => value]))
    const { sections, flags, problems } = readSections(parts, moduleKeys)
    const [problem] = Object.entries(problems)
    if (problem !== undefined) throw new CarabinerError('CRB_MODULE_INVALID', `${file}: ${problem[0]}: ${problem[1]}.`)
    const strange = only === undefined ? [] : entries.map(([key]) => key).filter((key) => !only.includes(key))
    return { sections, flags, strange }
  }
}

function above(below: Sections, { sections, flags }: Sections): Sections {
  const merged = Object.entries(sections).map(([key, section]) => [key, mergeLayers(below.sections[key], section)])
  return { sections: { ...below.sections, ...Object.fromEntries(merged) }, flags: { ...below.flags, ...flags } }
}
