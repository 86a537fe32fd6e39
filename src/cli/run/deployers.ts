/** Creates the deployers surface from the flags of `carabiner run`. */
import { dirname, resolve } from 'node:path'
import { deployersSurface, readConfiguration, resolvedIn, surfaceOptions } from '../../deployers/index.ts'
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
    const read = readConfiguration((parseYaml(configuration, path) ?? {}) as Json, path)
    return { surfaces: [deployersSurface(surfaceOptions(resolvedIn(dirname(resolve(path)), read)))], configuration }
  }
  if (names === undefined) return { surfaces: [] }
  const deployers = names.split(',').map((name) => ({ name: name.trim() }))
  return { surfaces: [deployersSurface(surfaceOptions(readConfiguration({ deployers }, 'flag --deployers')))] }
}
