/**
 * Static values: the `values.yaml` of the modules folder, for all modules, and the one of each module, which may only contain its own keys.
 */
import { CarabinerError, isJsonObject, type Runtime } from '../../../runtime/index.ts'
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
  for (const dir of dirs) all = mergeSections(all, await read(`${dir}/values.yaml`, keys))
  for (const module of modules) {
    const file = `${module.path}/values.yaml`
    const { sections, flags, foreign } = await read(file, [module.key], ownKeys(module))
    if (foreign.length > 0)
      log.warn('ignoring values of a module outside its own key', { file, key: module.key, strange: foreign })
    all = mergeSections(all, { sections, flags })
  }
  return all

  async function read(file: string, moduleKeys: readonly string[], only?: readonly string[]) {
    if ((await files.facts(file))?.kind !== 'file') return { sections: {}, flags: {}, foreign: [] }
    const document = parseValues(await files.readText(file), file) ?? {}
    if (!isJsonObject(document)) throw new CarabinerError('CRB_MODULE_INVALID', `${file} is not a map of values.`)
    const entries = Object.entries(document)
    const selected = only === undefined ? entries : entries.filter(([key]) => only.includes(key))
    const parts = Object.fromEntries(selected.map(([key, value]) => [key, () => value]))
    const { sections, flags, problems } = readSections(parts, moduleKeys)
    const [problem] = Object.entries(problems)
    if (problem !== undefined) throw new CarabinerError('CRB_MODULE_INVALID', `${file}: ${problem[0]}: ${problem[1]}.`)
    const foreign = only === undefined ? [] : entries.map(([key]) => key).filter((key) => !only.includes(key))
    return { sections, flags, foreign }
  }
}

function mergeSections(below: Sections, { sections, flags }: Sections): Sections {
  const merged = Object.entries(sections).map(([key, section]) => [key, mergeLayers(below.sections[key], section)])
  return { sections: { ...below.sections, ...Object.fromEntries(merged) }, flags: { ...below.flags, ...flags } }
}
