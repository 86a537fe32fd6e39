/**
 * When a rollout makes no progress any more. While the engine holds a Deployment between two points, the native progress deadline is switched off,
 * so the engine measures it, by pods that are available; afterwards the native controller reports it.
 */
import { type Instant, largest } from '../../runtime/index.ts'
import { holdLabel } from '../labels.ts'
import type { Ledger } from '../policy/types.ts'
import type { Deployment, Workload } from '../policy/workload.ts'
import type { View } from '../strategies/strategy.ts'

/** Means "no deadline" to the native controller. */
const endless = 2_147_483_647

interface Saved {
  readonly minReadySeconds?: number
  readonly progressDeadlineSeconds?: number
}

/** The deadline for the next point; undefined without one. */
export function progressDeadline({ workload, saved, pods, target, now }: View, ledger: Ledger): Instant | undefined {
  const { progressDeadlineSeconds: seconds = endless, minReadySeconds = 0 } = saved as Saved
  if (workload.kind !== 'Deployment' || seconds >= endless || ledger.movingSince === undefined) return undefined
  const became = pods
    .filter(({ revision, readySince }) => revision === target.uid && readySince !== undefined)
    .map(({ readySince = 0 }) => readySince + minReadySeconds * 1000)
    .filter((at) => at <= now)
  return Math.max(Date.parse(ledger.movingSince), largest(became)) + seconds * 1000
}

/** Whether the native controller reports that the deadline has passed, while nothing holds it. */
export function isStuck({ kind, metadata, ...rest }: Workload): boolean {
  if (kind !== 'Deployment' || metadata.labels?.[holdLabel] !== undefined) return false
  const { observedGeneration = 0, conditions = [] } = (rest as Deployment).status ?? {}
  if (observedGeneration < (metadata.generation ?? 0)) return false
  return conditions.some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded')
}
