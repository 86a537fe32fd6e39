/** The runtime state of a pod as immutable values: one record per container, changed only by the functions here. */
import type { Instant } from '../../../runtime/index.ts'
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

/** The result of earlier attempts. */
export interface Past {
  readonly restarts: number
  /** Number of consecutive attempts that ended soon after their start; decides the back-off. */
  readonly crashes: number
  readonly last?: { readonly since: Instant; readonly at: Instant; readonly exit: Exit }
}

export interface PodRun {
  readonly startTime: Instant
  readonly podIP: string
  readonly containers: ReadonlyMap<string, ContainerRun>
  /** Set when the kubelet ended the whole pod, for example at its deadline. */
  readonly failure?: { readonly reason: string; readonly message: string }
}

export const noAttempts: Past = { restarts: 0, crashes: 0 }

/** A container that ran this long starts again with the shortest back-off. */
const backOffResetMs = 10 * 60_000

const initialBackOffMs = 10_000
const maxBackOffMs = 300_000

/** The first restart is immediate; later ones wait 10 s, 20 s, 40 s … up to 5 minutes after the exit. */
export function backOff(crashes: number): number {
  return crashes <= 1 ? 0 : Math.min(initialBackOffMs * 2 ** (crashes - 2), maxBackOffMs)
}

export function ended(run: ContainerRun, exit: Exit, at: Instant): ContainerRun {
  const since = run.kind === 'running' ? run.since : at
  const crashes = at - since >= backOffResetMs ? 1 : run.past.crashes + 1
  return { kind: 'ended', since, at, exit, past: { ...run.past, crashes } }
}

/** The container is restarted; its previous run becomes its last state. */
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
