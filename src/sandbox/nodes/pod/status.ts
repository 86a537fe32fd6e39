/** Computes the status of a pod: phase and conditions from its containers. */

import type { Condition, ContainerStatus, Pod, PodStatus } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { timestamp } from '../../kinds/time.ts'
import { isInitialized, isSidecar, restarts } from './advance.ts'
import { containerStatuses } from './containers.ts'
import type { PodRun } from './run.ts'

/** `final` means that the pod is being deleted and its containers have stopped. */
export function phaseOf(pod: Pod, run: PodRun, final: boolean): string {
  const phase = runningPhase(pod, run, final)
  // A pod that is deleted before its containers completed has failed.
  return final && phase !== 'Succeeded' ? 'Failed' : phase
}

function runningPhase(pod: Pod, run: PodRun, final: boolean): string {
  if (run.failure !== undefined) return 'Failed'
  for (const container of pod.spec.initContainers ?? []) {
    const state = run.containers.get(container.name)
    const failed = state?.kind === 'ended' && state.exit.exitCode !== 0 && !isSidecar(container)
    if (failed && (final || pod.spec.restartPolicy === 'Never')) return 'Failed'
  }
  const states = pod.spec.containers.map((container) => ({ container, state: run.containers.get(container.name) }))
  if (!isInitialized(pod, run) && states.every(({ state }) => state === undefined || state.kind === 'waiting'))
    return 'Pending'
  if (states.some(({ state }) => state === undefined || state.kind === 'waiting')) return 'Pending'
  const over = states.every(
    ({ container, state }) => state?.kind === 'ended' && (final || !restarts(pod, container, state.exit.exitCode)),
  )
  if (!over) return 'Running'
  const failed = states.some(({ state }) => state?.kind === 'ended' && state.exit.exitCode !== 0)
  return failed ? 'Failed' : 'Succeeded'
}

type ConditionStatus = Pick<Condition, 'status' | 'reason' | 'message'>

const yes: ConditionStatus = { status: 'True' }
const no = (reason: string, message?: string): ConditionStatus => ({
  status: 'False',
  reason,
  ...(message === undefined ? {} : { message }),
})

function initializedConditionStatus(pod: Pod, run: PodRun, phase: string): ConditionStatus {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' }
  const begun = pod.spec.containers.some(({ name }) =>
    ['running', 'ended'].includes(run.containers.get(name)?.kind ?? ''),
  )
  if (begun || isInitialized(pod, run)) return yes
  const incomplete = (pod.spec.initContainers ?? [])
    .filter(({ name }) => {
      const state = run.containers.get(name)
      return (
        !(state?.kind === 'ended' && state.exit.exitCode === 0) &&
        !(state?.kind === 'running' && state.started && isSidecarNamed(pod, name))
      )
    })
    .map(({ name }) => name)
  return no('ContainersNotInitialized', `containers with incomplete status: [${incomplete.join(' ')}]`)
}

function isSidecarNamed(pod: Pod, name: string): boolean {
  return (pod.spec.initContainers ?? []).some((container) => container.name === name && isSidecar(container))
}

function containersConditionStatus(
  pod: Pod,
  statuses: Pick<PodStatus, 'containerStatuses' | 'initContainerStatuses'>,
  phase: string,
): ConditionStatus {
  if (phase === 'Succeeded') return no('PodCompleted')
  if (phase === 'Failed') return no('PodFailed')
  const all: readonly ContainerStatus[] = [
    ...(statuses.initContainerStatuses ?? []).filter(({ name }) => isSidecarNamed(pod, name)),
    ...(statuses.containerStatuses ?? []),
  ]
  const unready = all.filter(({ ready }) => !ready).map(({ name }) => name)
  return unready.length === 0 ? yes : no('ContainersNotReady', `containers with unready status: [${unready.join(' ')}]`)
}

function readyConditionStatus(pod: Pod, containers: ConditionStatus): ConditionStatus {
  if (containers.status !== 'True') return containers
  const problems = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = pod.status?.conditions?.find(({ type }) => type === conditionType)
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
    if (condition.status === 'True') return []
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`]
  })
  return problems.length === 0 ? yes : no('ReadinessGatesNotReady', problems.join(', '))
}

function condition(pod: Pod, type: string, verdict: ConditionStatus, now: Instant): Condition {
  const current = pod.status?.conditions?.find((other) => other.type === type)
  const same = current?.status === verdict.status && current.lastTransitionTime !== undefined
  return {
    type,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    lastProbeTime: null,
    lastTransitionTime: same ? (current.lastTransitionTime ?? '') : timestamp(now),
    ...verdict,
  }
}

export interface Host {
  readonly name: string
  readonly address: string
}

export function podStatus(
  pod: Pod,
  run: PodRun,
  host: Host,
  { now, final }: { readonly now: Instant; readonly final: boolean },
): PodStatus {
  const phase = phaseOf(pod, run, final)
  const statuses = containerStatuses(pod, run, {
    initialized: isInitialized(pod, run),
    final: final || run.failure !== undefined,
  })
  const containers = containersConditionStatus(pod, statuses, phase)
  const over = phase === 'Succeeded' || phase === 'Failed'
  const sandboxed: ConditionStatus = over ? { status: 'False' } : yes
  return {
    phase,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    conditions: [
      condition(pod, 'PodReadyToStartContainers', sandboxed, now),
      condition(pod, 'Initialized', initializedConditionStatus(pod, run, phase), now),
      condition(pod, 'Ready', readyConditionStatus(pod, containers), now),
      condition(pod, 'ContainersReady', containers, now),
      condition(pod, 'PodScheduled', yes, now),
    ],
    ...(run.failure === undefined ? {} : run.failure),
    hostIP: host.address,
    hostIPs: [{ ip: host.address }],
    ...(run.podIP === '' ? {} : { podIP: run.podIP, podIPs: [{ ip: run.podIP }] }),
    startTime: timestamp(run.startTime),
    ...statuses,
  }
}

/** Compares conditions by type: the kubelet owns these five, others can add their own. */
export function sameStatus(before: PodStatus | undefined, after: PodStatus): boolean {
  if (before === undefined) return false
  const conditions = new Map((before.conditions ?? []).map((other) => [other.type, other]))
  const { conditions: mine = [], ...rest } = after
  const { conditions: _, qosClass: __, ...restBefore } = before
  return mine.every((own) => equal(conditions.get(own.type), own)) && equal(restBefore, rest)
}

function equal(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return (one ?? null) === (other ?? null)
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  for (const key of keys) {
    if (!equal((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key])) return false
  }
  return true
}
