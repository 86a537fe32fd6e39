/** Label selectors of objects, and matching them with labels. */
import type { LabelSelector } from '../../kube/index.ts'

export type Labels = Readonly<Record<string, string>>

/** A requirement of a label selector or node selector; node selectors have more operators. */
export interface Requirement {
  readonly operator: string
  readonly values?: readonly string[]
}

export function meets(value: string | undefined, { operator, values = [] }: Requirement): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}

export function isEmptySelector(selector: LabelSelector): boolean {
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0
}

/** An absent selector matches nothing, an empty one everything, like `LabelSelectorAsSelector`. */
export function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false
  const have = labels ?? {}
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (have[key] !== value) return false
  return (selector.matchExpressions ?? []).every((requirement) => meets(have[requirement.key], requirement))
}

/** Whether `labels` contain every pair of `wanted`. */
export function includesLabels(labels: Labels | undefined, wanted: Labels | undefined): boolean {
  return Object.entries(wanted ?? {}).every(([key, value]) => labels?.[key] === value)
}
