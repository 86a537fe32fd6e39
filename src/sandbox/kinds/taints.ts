/** Taints and tolerations, for the scheduler and the DaemonSet controller. */
import type { Taint, Toleration } from '../../kube/kinds/index.ts'

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false
  if (toleration.key && toleration.key !== taint.key) return false
  if (toleration.operator === 'Exists') return true
  return (
    (toleration.operator ?? 'Equal') === 'Equal' && (toleration.value ?? '') === (taint.value ?? '') && !!toleration.key
  )
}

/** The first taint with one of these effects that is not tolerated. */
export function findUntoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return taints?.find(
    (taint) =>
      effects.includes(taint.effect) && !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  )
}
