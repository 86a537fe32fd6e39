/**
 * How one kind of workload is held, moved and let go. A strategy knows nothing of hooks: it is told how many new pods there may be.
 */
import type { Instant } from '../../runtime/index.ts'
import type { PodState, Revision } from '../observe/world.ts'
import type { Workload } from '../policy/workload.ts'

export interface View {
  readonly workload: Workload
  /** The revision being rolled out. */
  readonly target: Revision
  readonly pods: readonly PodState[]
  /** The gate's fields as the owner had them. */
  readonly saved: Readonly<Record<string, unknown>>
  readonly now: Instant
}

export interface Progress {
  /** New pods that are available by the owner's own measure. */
  readonly available: number
  /** Nothing is left to be done: no old pod, every new one available. */
  readonly complete: boolean
  /** When a pod that is ready now becomes available. */
  readonly wakeAt?: Instant
}

export type Step =
  | { readonly do: 'patch'; readonly patch: object }
  | { readonly do: 'delete'; readonly pods: readonly PodState[] }
  | { readonly do: 'wait' }

export type Emptying =
  /** The ledger remembers `saved` before the patch is written. */
  | { readonly do: 'patch'; readonly patch: object; readonly saved: View['saved'] }
  | { readonly do: 'wait' }
  | { readonly do: 'done' }

export interface Strategy {
  /** Declared replicas, which percentages are taken of. */
  size(workload: Workload, saved: View['saved']): number
  /** The fields to remember before the first touch. */
  save(workload: Workload): Readonly<Record<string, unknown>>
  /** The remembered fields with all pending edits of the owner. */
  wanted(workload: Workload, saved: View['saved']): View['saved']
  progress(view: View): Progress
  /** How many pods will be new in the end, where that is not all of them. */
  reach?(workload: Workload, saved: View['saved']): number
  /** The next step towards `pods` new pods, never past it. */
  advance(view: View, pods: number): Step
  /** How many new pods the native controller may make by what it was told last; undefined when it may make none or all. */
  allowance?(workload: Workload): number | undefined
  /** Old pods that the native controller waits for although nothing will come of them. */
  stuck?(view: View): readonly PodState[]
  /** The next step towards no pods at all; only where pods are recreated. */
  empty?(view: View): Emptying
  /** Lets the native controller finish: everything as the owner had it, and the gate open. */
  open(saved: View['saved']): object
  /** Makes sure that nothing moves any more. */
  freeze(workload: Workload): object | undefined
}

/** How many of the pods are available after having been ready for `minReadySeconds`, and when that changes by itself. */
export function availability(
  pods: readonly PodState[],
  minReadySeconds: number,
  now: Instant,
): { available: number; wakeAt?: Instant } {
  let available = 0
  let wakeAt: Instant | undefined
  for (const { readySince, isEnding } of pods) {
    if (readySince === undefined || isEnding) continue
    const at = readySince + minReadySeconds * 1000
    if (at <= now) available += 1
    else wakeAt = Math.min(wakeAt ?? at, at)
  }
  return { available, ...(wakeAt === undefined ? {} : { wakeAt }) }
}

/** A share such as `25%` or `2` of `whole`, rounded as native controllers do: surge up, unavailability down. */
export function shareOf(share: number | string | undefined, whole: number, round: 'up' | 'down'): number {
  if (typeof share === 'number') return share
  const match = /^(\d+)(%?)$/.exec(share ?? '25%')
  const amount = Number(match?.[1] ?? 0)
  if (match?.[2] !== '%') return amount
  return round === 'up' ? Math.ceil((amount * whole) / 100) : Math.floor((amount * whole) / 100)
}

/** How many pods a Deployment may have too many and too few. One that may have neither is moved by one missing pod, as natively. */
export function rollingBudget(
  { maxSurge, maxUnavailable }: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string } = {},
  replicas: number,
): { readonly surge: number; readonly missing: number } {
  const surge = shareOf(maxSurge, replicas, 'up')
  return { surge, missing: shareOf(maxUnavailable, replicas, 'down') || (surge === 0 ? 1 : 0) }
}
