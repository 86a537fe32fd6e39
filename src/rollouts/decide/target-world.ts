/** A world in which the policy's target exists. */
import type { World } from '../observe/index.ts'
import type { Workload } from '../policy/workload.ts'

export interface TargetWorld extends World {
  readonly workload: Workload
  readonly templateHash: string
}

export function hasTarget(world: World): world is TargetWorld {
  return world.workload !== undefined && world.templateHash !== undefined
}
