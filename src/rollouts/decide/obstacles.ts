/** What keeps a policy from doing anything for its workload, and what becomes of changed templates until somebody has mended it. */
import { surges } from '../gate/gate.ts'
import { optInLabel } from '../labels.ts'
import { savedOf } from '../ledger/saved-fields.ts'
import { podOf } from '../objects/exec-new-pod.ts'
import type { World } from '../observe/world.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { Workload } from '../policy/workload.ts'
import { isRecreated } from './advance.ts'
import type { Verdict } from './status.ts'

/** Of a workload that is there. */
export function obstacleOf(world: World, { hooks }: CompiledPolicy, workload: Workload): Verdict | undefined {
  const { policy, owner } = world
  const { kind, name } = policy.spec.targetRef
  const stalled = (reason: string, message: string): Verdict => ({ state: 'stalled', reason, message })
  if (owner !== undefined)
    return stalled('TargetTaken', `policy ${owner} has ${kind} ${name} already; delete one of the two`)
  const isOptedIn = workload.metadata.labels?.[optInLabel] === policy.metadata.name
  const passes = 'until this is mended, changed templates roll out without hooks'
  const meanwhile = isOptedIn ? 'until this is mended, a changed template is held' : passes
  // What surges is left alone by the gate too.
  if (kind === 'DaemonSet' && surges(workload))
    return stalled('SurgeNotSupported', `${kind} ${name} has a maxSurge; hooks need maxSurge 0; ${passes}`)
  const { template } = workload.spec
  for (const { name: hook, action } of hooks) {
    if (action.kind !== 'pod' || podOf(template, action.pod) !== undefined) continue
    const known = template.spec.containers.map((container) => container.name).join(', ')
    const missing = `${kind} ${name} has no container ${action.pod.containerName}, it has ${known}`
    return stalled('ContainerNotFound', `hook ${hook}: ${missing}; ${meanwhile}`)
  }
  if (hooks.some(({ moment }) => moment.kind === 'mid') && !isRecreated(workload, savedOf(policy, workload)))
    return stalled('RecreateNeeded', `hook mid: ${kind} ${name} does not have the strategy Recreate; ${meanwhile}`)
  return undefined
}
