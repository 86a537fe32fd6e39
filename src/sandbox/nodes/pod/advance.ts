/**
 * Decides which containers of a pod start next: init containers in order, then all others, each restarted according to
 * the restart policy.
 */

import type { Container, Pod } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { backOff, type ContainerRun, type PodRun } from './run.ts'

export interface Advance {
  readonly start: readonly Container[]
  /** The time at which the next container can start. */
  readonly nextStartAt?: Instant
}

export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always'

export function restarts(pod: Pod, container: Container, exitCode: number): boolean {
  if (isSidecar(container)) return true
  const policy = pod.spec.restartPolicy ?? 'Always'
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

/** When the container can start: now, later, or never (undefined). */
function startAt(pod: Pod, container: Container, run: ContainerRun | undefined, init: boolean): Instant | undefined {
  if (run === undefined) return 0
  if (run.kind === 'waiting') return run.retryAt
  if (run.kind === 'running') return undefined
  if (init && !isSidecar(container)) {
    if (run.exit.exitCode === 0 || pod.spec.restartPolicy === 'Never') return undefined
  } else if (!restarts(pod, container, run.exit.exitCode)) return undefined
  return run.at + backOff(run.past.crashes)
}

/** Whether an init container no longer blocks the next one: a sidecar once started, any other once it succeeded. */
function isPassed(container: Container, run: ContainerRun | undefined): boolean {
  if (isSidecar(container)) return run !== undefined && run.kind === 'running' && run.started
  return run?.kind === 'ended' && run.exit.exitCode === 0
}

export function isInitialized(pod: Pod, run: PodRun): boolean {
  return (pod.spec.initContainers ?? []).every((container) => isPassed(container, run.containers.get(container.name)))
}

function anyMainStarted(pod: Pod, run: PodRun): boolean {
  return pod.spec.containers.some(({ name }) => {
    const kind = run.containers.get(name)?.kind
    return kind === 'running' || kind === 'ended'
  })
}

/** The containers that should run in the current stage, whether or not they run. */
function due(pod: Pod, run: PodRun): readonly { readonly container: Container; readonly init: boolean }[] {
  const result: { container: Container; init: boolean }[] = []
  const begun = anyMainStarted(pod, run)
  for (const container of pod.spec.initContainers ?? []) {
    const passed = isPassed(container, run.containers.get(container.name))
    if (isSidecar(container) || !(passed || begun)) result.push({ container, init: true })
    if (!passed && !begun) return result
  }
  for (const container of pod.spec.containers) result.push({ container, init: false })
  return result
}

/** True once every container except sidecars has ended and is not restarted. */
function isOver(pod: Pod, run: PodRun): boolean {
  return pod.spec.containers.every((container) => {
    const state = run.containers.get(container.name)
    return state?.kind === 'ended' && !restarts(pod, container, state.exit.exitCode)
  })
}

export function advance(pod: Pod, run: PodRun, now: Instant): Advance {
  if (run.failure !== undefined || isOver(pod, run)) return { start: [] }
  const start: Container[] = []
  let nextStartAt: Instant | undefined
  for (const { container, init } of due(pod, run)) {
    const at = startAt(pod, container, run.containers.get(container.name), init)
    if (at === undefined) continue
    if (at <= now) start.push(container)
    else nextStartAt = Math.min(at, nextStartAt ?? at)
  }
  return nextStartAt === undefined ? { start } : { start, nextStartAt }
}
