/**
 * Conditions as the workload controllers write them: a condition moves to the end of the list when its status or reason
 * changes, and keeps its transition time while its status is unchanged.
 */
import type { Condition } from '../../../kube/kinds/index.ts'

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

export function withoutCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type)
}

/** Changes nothing, not even the message, when status and reason are unchanged. */
export function withCondition(conditions: readonly Condition[] | undefined, next: Condition): readonly Condition[] {
  const current = conditionOf(conditions, next.type)
  if (current?.status === next.status && current?.reason === next.reason) return conditions ?? []
  const kept =
    current?.status === next.status && current?.lastTransitionTime !== undefined
      ? { ...next, lastTransitionTime: current.lastTransitionTime }
      : next
  return [...withoutCondition(conditions, next.type), kept]
}
