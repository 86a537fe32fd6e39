/** Why a pod failed, as far as its status says it. */
import type { PodStatus } from '../../kube/kinds/index.ts'

export interface PodFailure {
  /** The word of Kubernetes, such as `OOMKilled` or `Evicted`. */
  readonly reason?: string
  readonly message: string
}

/** Kubelets repeat what programs leave behind. */
const maxLength = 500

export function podFailureOf(status: PodStatus = {}): PodFailure {
  const { reason, message, initContainerStatuses = [], containerStatuses = [] } = status
  const failed = [...initContainerStatuses, ...containerStatuses].find(
    ({ state }) => state?.terminated !== undefined && state.terminated.exitCode !== 0,
  )
  const ended = failed?.state?.terminated
  const word = reason ?? ended?.reason
  const said = [
    ...(message === undefined || message === '' ? [] : [message.slice(0, maxLength)]),
    ...(failed === undefined ? [] : [`container ${failed.name} ended with exit code ${ended?.exitCode}`]),
  ]
  return {
    ...(word === undefined ? {} : { reason: word }),
    message: said.length === 0 ? 'the pod failed' : said.join('; '),
  }
}

/** Why Kubernetes takes the pod away, if it does: an eviction, a preemption, the loss of its node. */
export function disruptionOf({ conditions = [] }: PodStatus = {}): PodFailure | undefined {
  const target = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
  if (target === undefined) return undefined
  const { reason = 'DisruptionTarget', message = '' } = target
  return { reason, message: message === '' ? 'the pod was taken away' : message.slice(0, maxLength) }
}
