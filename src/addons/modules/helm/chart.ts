/**
 * Copies a module's chart for helm. Its `values.yaml` is empty, because helm gets all values as arguments; a folder with templates only
 * gets a generated Chart.yaml.
 */
import { toYaml } from '../../../kube/index.ts'
import { append, CarabinerError, type Files, sha256, sha256Hex } from '../../../runtime/index.ts'
import type { Module } from '../discovery/module.ts'

/** Folders beside the templates that do not belong to the chart. */
const nonChartFolders = ['crds', 'docs', 'hooks', 'images', 'lib']

/** The version of generated charts. */
const chartVersion = '0.2.0'

/** Deeper folders are taken for a link cycle. */
const maxDepth = 32

/** Copies the chart to `target`. @returns a checksum of names and contents */
export async function copyChart(files: Files, module: Module, target: string): Promise<string> {
  const own = (await files.facts(`${module.path}/.helmignore`))?.kind === 'file'
  const ignored = own ? (await files.readText(`${module.path}/.helmignore`)).split('\n') : []
  const written: Record<string, string> = { 'values.yaml': '' }
  if (module.chart === 'templates') {
    append(ignored, nonChartFolders)
    written['Chart.yaml'] = toYaml({ apiVersion: 'v2', name: module.name, version: chartVersion })
    written['.helmignore'] = `${ignored.join('\n')}\n`
  }
  // Helm reads ignored files before it skips them, and hook folders may contain large environments, so they are not copied.
  const names = ignored.map((line) => line.trim().replace(/^\/|\/$/g, ''))
  const sums: string[] = []
  const copy = async (below: string, depth: number): Promise<void> => {
    if (depth > maxDepth)
      throw new CarabinerError('CRB_MODULE_INVALID', `links in ${module.path}${below} form a cycle.`)
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
