/**
 * How far a pod has come on its node, as values: one record per container, changed only by the functions here.
 */
import type { Instant } from '../../../runtime/clock.ts'
import type { Exit } from '../engine.ts'

export type ContainerRun =
  | {
      readonly kind: 'waiting'
      readonly reason: string
      readonly message?: string
      readonly retryAt: Instant
      readonly past: Past
    }
  | {
      readonly kind: 'running'
      readonly since: Instant
      readonly started: boolean
      readonly ready: boolean
      readonly past: Past
    }
  | { readonly kind: 'ended'; readonly since: Instant; readonly at: Instant; readonly exit: Exit; readonly past: Past }

/** What earlier attempts left behind. */
export interface Past {
  readonly restarts: number
  /** Attempts in a row that ended soon after they started; decides the back-off. */
  readonly crashes: number
  readonly last?: { readonly since: Instant; readonly at: Instant; readonly exit: Exit }
}

export interface PodRun {
  readonly startTime: Instant
  readonly podIP: string
  readonly containers: ReadonlyMap<string, ContainerRun>
  /** The pod as a whole was ended by the kubelet, for example at its deadline. */
  readonly failure?: { readonly reason: string; readonly message: string }
}

export const nothingYet: Past = { restarts: 0, crashes: 0 }

/** A container that ran this long starts over with the shortest back-off. */
const forgiveAfter = 10 * 60_000

const firstBackOff = 10_000
const longestBackOff = 300_000

/** The first restart is immediate, later ones wait 10 s, 20 s, 40 s … at most 5 minutes after the end. */
export function backOff(crashes: number): number {
  return crashes <= 1 ? 0 : Math.min(firstBackOff * 2 ** (crashes - 2), longestBackOff)
}

export function ended(run: ContainerRun, exit: Exit, at: Instant): ContainerRun {
  const since = run.kind === 'running' ? run.since : at
  const crashes = at - since >= forgiveAfter ? 1 : run.past.crashes + 1
  return { kind: 'ended', since, at, exit, past: { ...run.past, crashes } }
}

/** The container starts once more; what it was becomes its last state. */
export function restarted(run: ContainerRun, at: Instant): ContainerRun {
  const past = run.kind === 'ended' ? afterEnd(run) : run.past
  return { kind: 'running', since: at, started: false, ready: false, past }
}

function afterEnd({ past, since, at, exit }: ContainerRun & { readonly kind: 'ended' }): Past {
  return { restarts: past.restarts + 1, crashes: past.crashes, last: { since, at, exit } }
}

export function withContainer(run: PodRun, name: string, container: ContainerRun): PodRun {
  return { ...run, containers: new Map(run.containers).set(name, container) }
}
