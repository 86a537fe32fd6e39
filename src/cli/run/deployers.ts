/** What `carabiner run` has to know to run deployers. */
import { deployersSurface, readConfiguration, surfaceOptions } from '../../deployers/index.ts'
import { parseYaml } from '../../kube/manifest/index.ts'
import type { Surface } from '../../operator/surface.ts'
import type { Files } from '../../runtime/files.ts'
import type { Json } from '../../runtime/json.ts'
import type { DeployerOptions } from './deployer-options.ts'

export async function deployerSurfaces(
  { deployers: names, deployersConfig: path }: DeployerOptions,
  files: Files,
): Promise<readonly Surface[]> {
  if (names === undefined && path === undefined) return []
  if (path !== undefined) {
    const document = (parseYaml(await files.readText(path), path) ?? {}) as Json
    return [deployersSurface(surfaceOptions(readConfiguration(document, path)))]
  }
  const deployers = (names ?? '').split(',').map((name) => ({ name: name.trim() }))
  return [deployersSurface(surfaceOptions(readConfiguration({ deployers }, 'flag --deployers')))]
}
