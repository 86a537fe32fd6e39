/**
 * What a kubelet knows after a restart that no container survived: those that ran have ended, as the real kubelet reports containers that its runtime no
 * longer has.
 */
import type { ContainerStateTerminated, ContainerStatus, Pod } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { instantOf } from '../../kinds/time.ts'
import { type ContainerRun, ended, type Past } from './run.ts'

const lost = {
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the node was started again',
}

export function lostContainers({ status }: Pod, now: Instant): ReadonlyMap<string, ContainerRun> {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const runs = new Map<string, ContainerRun>()
  for (const container of all) {
    const run = runOf(container, now)
    if (run !== undefined) runs.set(container.name, run)
  }
  return runs
}

/** Undefined when the container never started. */
function runOf({ state, lastState, restartCount }: ContainerStatus, now: Instant): ContainerRun | undefined {
  const previous = lastState?.terminated
  const past: Past = {
    restarts: restartCount,
    crashes: 0,
    ...(previous === undefined ? {} : { last: attemptOf(previous, now) }),
  }
  if (state?.running !== undefined) {
    const since = instantOf(state.running.startedAt) ?? now
    return ended({ kind: 'running', since, started: true, ready: false, past }, lost, now)
  }
  if (state?.terminated !== undefined) return { kind: 'ended', ...attemptOf(state.terminated, now), past }
  // It waits for its back-off.
  if (previous !== undefined)
    return { kind: 'ended', ...attemptOf(previous, now), past: { restarts: restartCount, crashes: 1 } }
  return undefined
}

function attemptOf({ startedAt, finishedAt, containerID: _, ...exit }: ContainerStateTerminated, now: Instant) {
  return { since: instantOf(startedAt) ?? now, at: instantOf(finishedAt) ?? now, exit }
}
