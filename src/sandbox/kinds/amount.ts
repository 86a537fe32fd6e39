/** Values such as `maxSurge`: a number or a percentage. */
import type { IntOrPercent } from '../../kube/kinds/index.ts'

/** The number itself, or the percentage of `total` with the given rounding. */
export function scaledAmount(value: IntOrPercent | undefined, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  const percent = /^(\d+)%$/.exec(value)?.[1]
  if (percent === undefined) return Number.parseInt(value, 10) || 0
  const share = (Number(percent) * total) / 100
  return round === 'up' ? Math.ceil(share) : Math.floor(share)
}

/** Rounds half away from zero, like Go. */
export function roundHalfAway(value: number): number {
  return value < 0 ? -Math.round(-value) : Math.round(value)
}
