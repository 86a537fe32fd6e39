/**
 * Decides whether a node can run a pod, with the messages and the order of the real scheduler's filter plugins: the
 * first failing plugin is reported.
 */
import type { Node, Pod, PodAffinityTerm } from '../../kube/kinds/index.ts'
import { matchesNodeAffinity } from '../kinds/node-affinity.ts'
import { quantity } from '../kinds/quantity.ts'
import { selects } from '../kinds/selector.ts'
import { findUntoleratedTaint, tolerates } from '../kinds/taints.ts'
import { type Amounts, requestsOf } from './requests.ts'
import type { NodeUsage } from './scheduler-cache.ts'

export interface NodeInfo {
  readonly node: Node
  readonly usage: NodeUsage
}

export interface FilterFailure {
  readonly reasons: readonly string[]
  /** Whether preempting other pods could help. */
  readonly isPreemptable: boolean
}

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

function insufficient(wanted: Amounts, { node, usage }: NodeInfo): readonly string[] {
  const reasons: string[] = []
  const allocatable = node.status?.allocatable ?? {}
  if (usage.pods.size + 1 > quantity(allocatable['pods'] ?? 110)) reasons.push('Too many pods')
  for (const [name, amount] of wanted) {
    const free = quantity(allocatable[name]) - (usage.requested.get(name) ?? 0)
    // Tolerance for binary rounding: sums of milli-units are not exact.
    if (amount > 0 && amount > free + 1e-9) reasons.push(`Insufficient ${name}`)
  }
  return reasons
}

function hostPorts(pod: Pod): readonly string[] {
  return pod.spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${protocol}:${hostPort}`] : [])),
  )
}

function portsTaken(pod: Pod, { usage }: NodeInfo): boolean {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return false
  for (const other of usage.pods.values()) if (hostPorts(other).some((port) => wanted.includes(port))) return true
  return false
}

function matchesPodTerm(pod: Pod, term: PodAffinityTerm, other: Pod): boolean {
  const namespaces = term.namespaces?.length ? term.namespaces : [pod.metadata.namespace ?? '']
  return namespaces.includes(other.metadata.namespace ?? '') && selects(term.labelSelector, other.metadata.labels)
}

/** Whether a pod in the topology domain of the node matches the term. */
function domainHas(pod: Pod, term: PodAffinityTerm, node: Node, nodeInfos: readonly NodeInfo[]): boolean {
  const domain = node.metadata.labels?.[term.topologyKey]
  if (domain === undefined) return false
  return nodeInfos.some(
    (info) =>
      info.node.metadata.labels?.[term.topologyKey] === domain &&
      Array.from(info.usage.pods.values()).some((other) => matchesPodTerm(pod, term, other)),
  )
}

function podAffinityFailure(pod: Pod, { node }: NodeInfo, nodeInfos: readonly NodeInfo[]): FilterFailure | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  for (const term of podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
    const hasNoMatch = !nodeInfos.some((info) =>
      Array.from(info.usage.pods.values()).some((other) => matchesPodTerm(pod, term, other)),
    )
    // The first pod of a group with affinity to itself can run on any node.
    const first = hasNoMatch && matchesPodTerm(pod, term, pod) && node.metadata.labels?.[term.topologyKey] !== undefined
    if (!first && !domainHas(pod, term, node, nodeInfos)) {
      return { reasons: ["node(s) didn't match pod affinity rules"], isPreemptable: false }
    }
  }
  for (const term of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
    if (domainHas(pod, term, node, nodeInfos)) {
      return { reasons: ["node(s) didn't match pod anti-affinity rules"], isPreemptable: true }
    }
  }
  return undefined
}

/** Undefined when the node can run the pod. */
export function filterNode(pod: Pod, info: NodeInfo, nodeInfos: readonly NodeInfo[]): FilterFailure | undefined {
  const { node } = info
  const final = (reason: string): FilterFailure => ({ reasons: [reason], isPreemptable: false })
  const tolerations = pod.spec.tolerations ?? []
  const cordoned = node.spec?.unschedulable === true
  if (cordoned && !tolerations.some((toleration) => tolerates(toleration, unschedulableTaint))) {
    return final('node(s) were unschedulable')
  }
  if (findUntoleratedTaint(node.spec?.taints, tolerations, ['NoSchedule', 'NoExecute']))
    return final('node(s) had untolerated taint(s)')
  if (!matchesNodeAffinity(pod.spec, node)) return final("node(s) didn't match Pod's node affinity/selector")
  if (portsTaken(pod, info)) {
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], isPreemptable: true }
  }
  const insufficientResources = insufficient(requestsOf(pod), info)
  if (insufficientResources.length > 0) return { reasons: insufficientResources, isPreemptable: true }
  return podAffinityFailure(pod, info, nodeInfos)
}
