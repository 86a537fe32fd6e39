/**
 * Points of a rollout, exactly. A point is a number of new available pods or a percentage of the declared replicas; percentages are
 * compared as fractions, so that 10 % and 20 % of three pods stay two points although both mean one pod.
 */
export type Point =
  | { readonly unit: 'pods'; readonly amount: number }
  | { readonly unit: 'percent'; readonly amount: number }

/** From `3`, `"3"` or `"50%"`; undefined for anything else. */
export function parsePoint(written: number | string): Point | undefined {
  const match = /^(\d+)(%?)$/.exec(String(written))
  if (match === null) return undefined
  const amount = Number(match[1])
  if (match[2] === '') return Number.isSafeInteger(amount) ? { unit: 'pods', amount } : undefined
  return amount <= 100 ? { unit: 'percent', amount } : undefined
}

export function showPoint({ unit, amount }: Point): string {
  return unit === 'percent' ? `${amount}%` : String(amount)
}

/** How many new available pods the point stands for: the exact number, else the next one after it, never more than there can be. */
export function podsAt({ unit, amount }: Point, replicas: number): number {
  return Math.min(replicas, unit === 'pods' ? amount : Math.ceil((amount * replicas) / 100))
}

/** Negative when `a` comes before `b`, 0 when they are the same point of a workload of this size. Without pods there is still an order. */
export function comparePoints(a: Point, b: Point, replicas: number): number {
  const size = Math.max(1, replicas)
  return hundredths(a, size) - hundredths(b, size)
}

/** Whether the point lies beyond what the workload can ever have; it then counts as its end. */
export function isBeyond({ unit, amount }: Point, replicas: number): boolean {
  return unit === 'pods' && amount > replicas
}

/** The point in hundredths of a pod, a whole number, so that nothing is rounded. */
function hundredths(point: Point, replicas: number): number {
  const { unit, amount } = point
  if (isBeyond(point, replicas)) return replicas * 100
  return unit === 'pods' ? amount * 100 : amount * replicas
}
