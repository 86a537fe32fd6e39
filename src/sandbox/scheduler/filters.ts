/**
 * Why a node cannot take a pod, in the words of the real scheduler's plugins and in their order: the first plugin that objects speaks.
 */
import type { Node } from '../kinds/cluster.ts'
import { wantsNode } from '../kinds/node-affinity.ts'
import type { Pod, PodAffinityTerm } from '../kinds/pod.ts'
import { quantity } from '../kinds/quantity.ts'
import { selects } from '../kinds/selector.ts'
import { tolerates, untolerated } from '../kinds/taints.ts'
import type { Load } from './ledger.ts'
import { type Amounts, requestsOf } from './requests.ts'

export interface Place {
  readonly node: Node
  readonly load: Load
}

export interface Refusal {
  readonly reasons: readonly string[]
  /** Whether other pods going away could help. */
  readonly resolvable: boolean
}

const unschedulableTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

function insufficient(wanted: Amounts, { node, load }: Place): readonly string[] {
  const reasons: string[] = []
  const allocatable = node.status?.allocatable ?? {}
  if (load.pods.size + 1 > quantity(allocatable['pods'] ?? 110)) reasons.push('Too many pods')
  for (const [name, amount] of wanted) {
    const free = quantity(allocatable[name]) - (load.requested.get(name) ?? 0)
    // A billionth of slack: sums of milli-units are not exact in binary.
    if (amount > 0 && amount > free + 1e-9) reasons.push(`Insufficient ${name}`)
  }
  return reasons
}

function hostPorts(pod: Pod): readonly string[] {
  return pod.spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${protocol}:${hostPort}`] : [])),
  )
}

function portsTaken(pod: Pod, { load }: Place): boolean {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return false
  for (const other of load.pods.values()) if (hostPorts(other).some((port) => wanted.includes(port))) return true
  return false
}

function matchesPodTerm(pod: Pod, term: PodAffinityTerm, other: Pod): boolean {
  const namespaces = term.namespaces?.length ? term.namespaces : [pod.metadata.namespace ?? '']
  return namespaces.includes(other.metadata.namespace ?? '') && selects(term.labelSelector, other.metadata.labels)
}

/** Whether some pod in the node's topology domain matches the term. */
function domainHas(pod: Pod, term: PodAffinityTerm, node: Node, places: readonly Place[]): boolean {
  const domain = node.metadata.labels?.[term.topologyKey]
  if (domain === undefined) return false
  return places.some(
    (place) =>
      place.node.metadata.labels?.[term.topologyKey] === domain &&
      Array.from(place.load.pods.values()).some((other) => matchesPodTerm(pod, term, other)),
  )
}

function podAffinityRefusal(pod: Pod, { node }: Place, places: readonly Place[]): string | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  for (const term of podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
    const lonely = !places.some((place) =>
      Array.from(place.load.pods.values()).some((other) => matchesPodTerm(pod, term, other)),
    )
    // The first pod of a group that wants its own kind around may go anywhere.
    const first = lonely && matchesPodTerm(pod, term, pod) && node.metadata.labels?.[term.topologyKey] !== undefined
    if (!first && !domainHas(pod, term, node, places)) return "node(s) didn't match pod affinity rules"
  }
  for (const term of podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
    if (domainHas(pod, term, node, places)) return "node(s) didn't match pod anti-affinity rules"
  }
  return undefined
}

/** Undefined when the node can take the pod. */
export function refusal(pod: Pod, place: Place, places: readonly Place[]): Refusal | undefined {
  const { node } = place
  const final = (reason: string): Refusal => ({ reasons: [reason], resolvable: false })
  const tolerations = pod.spec.tolerations ?? []
  const cordoned = node.spec?.unschedulable === true
  if (cordoned && !tolerations.some((toleration) => tolerates(toleration, unschedulableTaint))) {
    return final('node(s) were unschedulable')
  }
  if (untolerated(node.spec?.taints, tolerations, ['NoSchedule', 'NoExecute']))
    return final('node(s) had untolerated taint(s)')
  if (!wantsNode(pod.spec, node)) return final("node(s) didn't match Pod's node affinity/selector")
  if (portsTaken(pod, place)) {
    return { reasons: ["node(s) didn't have free ports for the requested pod ports"], resolvable: true }
  }
  const lacking = insufficient(requestsOf(pod), place)
  if (lacking.length > 0) return { reasons: lacking, resolvable: true }
  const lonely = podAffinityRefusal(pod, place, places)
  return lonely === undefined ? undefined : { reasons: [lonely], resolvable: lonely.includes('anti-affinity') }
}
