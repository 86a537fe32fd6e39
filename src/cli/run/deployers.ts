/** Creates the deployers surface from the flags of `carabiner run`. */
import { deployersSurface, readConfiguration, surfaceOptions } from '../../deployers/index.ts'
import { parseYaml } from '../../kube/manifest/index.ts'
import type { Surface } from '../../operator/index.ts'
import type { Files, Json } from '../../runtime/index.ts'
import type { DeployerOptions } from './deployer-options.ts'

interface GivenDeployers {
  readonly surfaces: readonly Surface[]
  /** The content of the file. It is read only once, because it may be a pipe. */
  readonly configuration?: string
}

export async function readDeployers(
  { deployers: names, deployersConfig: path }: DeployerOptions,
  files: Files,
): Promise<GivenDeployers> {
  if (path !== undefined) {
    const configuration = await files.readText(path)
    return { surfaces: [surfaceOf((parseYaml(configuration, path) ?? {}) as Json, path)], configuration }
  }
  if (names === undefined) return { surfaces: [] }
  const deployers = names.split(',').map((name) => ({ name: name.trim() }))
  return { surfaces: [surfaceOf({ deployers }, 'flag --deployers')] }
}

function surfaceOf(document: Json, place: string): Surface {
  return deployersSurface(surfaceOptions(readConfiguration(document, place)))
}
