/** The podFailurePolicy and successPolicy of a Job. */
import type { ContainerStatus, Job, Pod, PodFailurePolicyRule } from '../../../kube/kinds/index.ts'
import { parseIndexes } from './indexes.ts'

export interface FailureMatch {
  /** Set when the rule fails the whole Job. */
  readonly failsJob?: string
  /** Whether the failure counts against the back-off limit. */
  readonly counts: boolean
}

function failedContainer(
  pod: Pod,
  rule: NonNullable<PodFailurePolicyRule['onExitCodes']>,
): ContainerStatus | undefined {
  const all = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]
  return all.find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode
    if (exitCode === undefined || exitCode === 0) return false
    if (rule.containerName !== undefined && rule.containerName !== name) return false
    return rule.operator === 'In' ? rule.values.includes(exitCode) : !rule.values.includes(exitCode)
  })
}

/** The message of the Job condition when the rule matches the pod; undefined when it does not. */
function reasonOf(pod: Pod, rule: PodFailurePolicyRule, index: number): string | undefined {
  const { name, namespace } = pod.metadata
  const tail = `matching ${rule.action} rule at index ${index}`
  if (rule.onExitCodes !== undefined) {
    const container = failedContainer(pod, rule.onExitCodes)
    if (container === undefined) return undefined
    const code = container.state?.terminated?.exitCode
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code} ${tail}`
  }
  const condition = (pod.status?.conditions ?? []).find(({ type, status }) =>
    rule.onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  )
  return condition === undefined ? undefined : `Pod ${namespace}/${name} has condition ${condition.type} ${tail}`
}

/** The first matching rule applies. */
export function matchFailure(job: Job, pod: Pod): FailureMatch {
  for (const [index, rule] of (job.spec.podFailurePolicy?.rules ?? []).entries()) {
    const reason = reasonOf(pod, rule, index)
    if (reason === undefined) continue
    if (rule.action === 'FailJob') return { failsJob: reason, counts: true }
    return { counts: rule.action !== 'Ignore' }
  }
  return { counts: true }
}

/** The message of the first matching rule. */
export function matchSuccess(job: Job, succeeded: ReadonlySet<number>): string | undefined {
  for (const [index, rule] of (job.spec.successPolicy?.rules ?? []).entries()) {
    const wanted =
      rule.succeededIndexes === undefined ? undefined : parseIndexes(rule.succeededIndexes, job.spec.completions ?? 0)
    const met = wanted === undefined ? succeeded.size : [...wanted].filter((one) => succeeded.has(one)).length
    if (met >= (rule.succeededCount ?? wanted?.size ?? Number.POSITIVE_INFINITY))
      return `Matched rules at index ${index}`
  }
  return undefined
}
