/** What a pod is doing, in the words of `kubectl get pods`, and what it waits for. */
import type { ContainerStatus, Pod } from '../../../kube/kinds/index.ts'

export interface PodState {
  readonly name: string
  /** As `Running`, `ImagePullBackOff`, `Init:CrashLoopBackOff` or `Terminating`. */
  readonly state: string
  /** As `1/2`. */
  readonly ready: string
  readonly isReady: boolean
  readonly restarts: number
  /** Why it waits, where the cluster says so. */
  readonly message?: string
  readonly createdAt: string
}

export function podState(pod: Pod): PodState {
  const { metadata, spec, status = {} } = pod
  const containers = status.containerStatuses ?? []
  const all = [...(status.initContainerStatuses ?? []), ...containers]
  const message = messageOf(pod)
  return {
    name: metadata.name,
    state: metadata.deletionTimestamp === undefined ? wordFor(pod) : 'Terminating',
    ready: `${containers.filter(({ ready }) => ready).length}/${spec.containers.length}`,
    isReady: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    restarts: all.reduce((sum, { restartCount }) => sum + restartCount, 0),
    ...(message === undefined ? {} : { message }),
    createdAt: metadata.creationTimestamp ?? '',
  }
}

/** Something that a person looks into: it restarts, cannot start, or does not find a node. */
export function isTroubled({ state, restarts, message }: PodState): boolean {
  const isFine = /^(?:Running|Succeeded|Completed|Terminating|Pending|ContainerCreating|PodInitializing|Init:\d+\/\d+)$/
  return restarts > 0 || !isFine.test(state) || (state === 'Pending' && message !== undefined)
}

function wordFor({ status = {} }: Pod): string {
  const { phase = 'Pending', reason, initContainerStatuses = [], containerStatuses = [] } = status
  if (reason !== undefined) return reason
  const init = initContainerStatuses.findIndex((one) => one.state?.terminated?.exitCode !== 0 && one.started !== true)
  if (phase === 'Pending' && init >= 0)
    return `Init:${reasonOf(initContainerStatuses[init]) ?? `${init}/${initContainerStatuses.length}`}`
  const reasons = containerStatuses.map(reasonOf).filter((one) => one !== undefined)
  // A container that waits says more than one that has ended.
  const waiting = containerStatuses.find(({ state }) => state?.waiting?.reason !== undefined)?.state?.waiting?.reason
  return (
    waiting ?? (containerStatuses.some(({ state }) => state?.running !== undefined) ? phase : (reasons[0] ?? phase))
  )
}

function reasonOf(container: ContainerStatus | undefined): string | undefined {
  const { waiting, terminated } = container?.state ?? {}
  if (waiting?.reason === 'PodInitializing') return undefined
  return waiting?.reason ?? terminated?.reason ?? (terminated && `ExitCode:${terminated.exitCode}`)
}

function messageOf({ status = {} }: Pod): string | undefined {
  const { conditions = [], initContainerStatuses = [], containerStatuses = [], message } = status
  const waiting = [...initContainerStatuses, ...containerStatuses].find(({ state }) => state?.waiting?.message)
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
  return waiting?.state?.waiting?.message ?? unscheduled?.message ?? message
}
