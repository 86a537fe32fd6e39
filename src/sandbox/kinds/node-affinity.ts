/**
 * Node selectors and node affinity: does a pod want to be on this node?
 */
import type { Node } from './cluster.ts'
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from './pod.ts'
import { includesLabels, meets } from './selector.ts'

function suits(value: string | undefined, requirement: NodeSelectorRequirement): boolean {
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
    matchExpressions.every((requirement) => suits(node.metadata.labels?.[requirement.key], requirement)) &&
    matchFields.every((requirement) => requirement.key === 'metadata.name' && suits(node.metadata.name, requirement))
  )
}

export function wantsNode(spec: PodSpec, node: Node): boolean {
  if (!includesLabels(node.metadata.labels, spec.nodeSelector)) return false
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return terms === undefined || terms.some((term) => matchesTerm(node, term))
}

/** Sum of the weights of the preferences this node meets. */
export function preference(spec: PodSpec, node: Node): number {
  const wishes = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  return wishes.reduce((sum, wish) => sum + (matchesTerm(node, wish.preference) ? wish.weight : 0), 0)
}
