/**
 * A workload as its owner wants it, without the changes of the gate and the engine. Plans and simulations begin there, also while a rollout is
 * under way.
 */
import { applyMergePatch } from '../../patch/index.ts'
import type { Json } from '../../runtime/index.ts'
import { openLabels } from '../gate/pending-edits.ts'
import { holdLabel } from '../labels.ts'
import { savedOf } from '../ledger/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Deployment, Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'

export function atRest(policy: RolloutPolicy, workload: Workload): Workload {
  const hold = workload.metadata.labels?.[holdLabel]
  if (hold === undefined) return workload
  // An owner who had paused it still wants it paused.
  const isOwn = hold === 'user-paused'
  const open = isOwn
    ? { metadata: { labels: openLabels } }
    : strategyOf(workload).open(savedOf(policy.status?.rollout, workload))
  return applyMergePatch(workload as unknown as Json, open as Json) as unknown as Workload
}

/** By its owner, when it is at rest. */
export function isPaused({ spec }: Workload): boolean {
  return (spec as Deployment['spec']).paused === true
}

/** Hooks wait for that, and so does everything else. */
export function resumed(workload: Workload): Workload {
  return isPaused(workload) ? ({ ...workload, spec: { ...workload.spec, paused: false } } as Workload) : workload
}
