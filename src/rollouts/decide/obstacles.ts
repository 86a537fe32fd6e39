/** What prevents a policy from doing anything for its workload, and what happens to changed templates until it is fixed. */
import { surges } from '../gate/gate.ts'
import { optInLabel } from '../labels.ts'
import { isActive, isWayBack, savedOf } from '../ledger/index.ts'
import { missingIn } from '../objects/missing-container.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import { isRecreated } from '../strategies/index.ts'
import type { SituationOf } from './situation.ts'
import type { TargetWorld } from './target-world.ts'

export type Obstacle = SituationOf<'TargetTaken' | 'SurgeNotSupported' | 'ContainerNotFound' | 'RecreateNeeded'>

export function obstacleOf(world: TargetWorld, { hooks }: CompiledPolicy): Obstacle | undefined {
  const { policy, workload, owner } = world
  const { kind, name } = policy.spec.targetRef
  if (owner !== undefined) {
    const message = `policy ${owner} has ${kind} ${name} already; delete one of the two`
    return { name: 'TargetTaken', world, message }
  }
  const isOptedIn = workload.metadata.labels?.[optInLabel] === policy.metadata.name
  const passes = 'until this is fixed, changed templates roll out without hooks'
  const meanwhile = isOptedIn ? 'until this is fixed, a changed template is held' : passes
  // The gate does not hold a DaemonSet with a surge either.
  if (kind === 'DaemonSet' && surges(workload)) {
    const message = `${kind} ${name} has a maxSurge; hooks need maxSurge 0; ${passes}`
    return { name: 'SurgeNotSupported', world, message }
  }
  const { template } = workload.spec
  for (const { name: hook, action } of isGoingBack(world) ? [] : hooks) {
    const missing = missingIn(template, action)
    if (missing === undefined) continue
    const message = `hook ${hook}: ${missing.field}${kind} ${name} has no container ${missing.container}`
    const known = missing.known.map((container) => container.name).join(', ')
    return { name: 'ContainerNotFound', world, message: `${message}, it has ${known}; ${meanwhile}` }
  }
  const saved = savedOf(policy.status?.rollout, workload)
  if (hooks.some(({ moment }) => moment.kind === 'mid') && !isRecreated(workload, saved)) {
    const message = `hook mid: ${kind} ${name} does not have the strategy Recreate; ${meanwhile}`
    return { name: 'RecreateNeeded', world, message }
  }
  return undefined
}

/** An earlier template may lack a container that hooks of the later one copy, and nothing stops the way back. */
function isGoingBack({ policy, templateHash, revisions }: TargetWorld): boolean {
  const rollout = policy.status?.rollout
  if (isActive(rollout) && rollout.type === 'UNDO' && rollout.templateHash === templateHash) return true
  return isWayBack(
    rollout,
    revisions.find((revision) => revision.templateHash === templateHash),
  )
}
