/**
 * A module's chart, copied to where helm reads it. Its own `values.yaml` is left empty, for helm is given all values; a module that has only templates gets what
 * makes a chart of them.
 */
import { toYaml } from '../../../kube/manifest/parse.ts'
import { CarabinerError } from '../../../runtime/errors.ts'
import type { Files } from '../../../runtime/files.ts'
import { sha256, sha256Hex } from '../../../runtime/sha256.ts'
import type { Module } from '../discovery/module.ts'

/** What lies beside templates without belonging to them. */
const besidesTemplates = ['crds', 'docs', 'hooks', 'images', 'lib']

/** Of charts that are made of templates alone. */
const version = '0.2.0'

/** Folders within folders; more are links that lead in a circle. */
const deepest = 32

/** Copies it to `target`. @returns a text that differs when anything in the chart does */
export async function copyChart(files: Files, module: Module, target: string): Promise<string> {
  const own = (await files.facts(`${module.path}/.helmignore`))?.kind === 'file'
  const ignored = own ? (await files.readText(`${module.path}/.helmignore`)).split('\n') : []
  const written: Record<string, string> = { 'values.yaml': '' }
  if (module.chart === 'templates') {
    ignored.push(...besidesTemplates)
    written['Chart.yaml'] = toYaml({ apiVersion: 'v2', name: module.name, version })
    written['.helmignore'] = `${ignored.join('\n')}\n`
  }
  // Helm would read it only to pass it by; hooks may bring whole environments along.
  const names = ignored.map((line) => line.trim().replace(/^\/|\/$/g, ''))
  const sums: string[] = []
  const copy = async (below: string, depth: number): Promise<void> => {
    if (depth > deepest)
      throw new CarabinerError('CRB_MODULE_INVALID', `links in ${module.path}${below} lead in a circle.`)
    await files.makeDirectory(target + below)
    for (const name of await files.list(module.path + below)) {
      if (depth === 0 && (names.includes(name) || Object.hasOwn(written, name))) continue
      const path = `${below}/${name}`
      const facts = await files.facts(module.path + path)
      if (facts?.kind === 'directory') await copy(path, depth + 1)
      else if (facts?.kind === 'file') await put(path, await files.read(module.path + path))
    }
  }
  const put = async (path: string, content: Uint8Array): Promise<void> => {
    await files.write(target + path, content)
    sums.push(`${path} ${sha256(content).join()}`)
  }
  await copy('', 0)
  for (const [name, content] of Object.entries(written)) await put(`/${name}`, new TextEncoder().encode(content))
  return sha256Hex(sums.join('\n'))
}
