/** Node selectors and node affinity: whether a pod can run on a node. */
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../kube/kinds/index.ts'
import { includesLabels, meets } from './selector.ts'

function matchesRequirement(value: string | undefined, requirement: NodeSelectorRequirement): boolean {
  const { operator, values = [] } = requirement
  switch (operator) {
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0])
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0])
    default:
      return meets(value, requirement)
  }
}

/** A term without requirements matches nothing. */
export function matchesTerm(node: Node, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false
  return (
    matchExpressions.every((requirement) => matchesRequirement(node.metadata.labels?.[requirement.key], requirement)) &&
    matchFields.every(
      (requirement) => requirement.key === 'metadata.name' && matchesRequirement(node.metadata.name, requirement),
    )
  )
}

export function matchesNodeAffinity(spec: PodSpec, node: Node): boolean {
  if (!includesLabels(node.metadata.labels, spec.nodeSelector)) return false
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return terms === undefined || terms.some((term) => matchesTerm(node, term))
}

/** The sum of the weights of the preferred terms this node matches. */
export function preferredAffinityScore(spec: PodSpec, node: Node): number {
  const terms = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return terms.reduce((sum, term) => sum + (matchesTerm(node, term.preference) ? term.weight : 0), 0)
}
