/**
 * Hooks in the order they run: by exact point, those of one point together; `mid` between the last old pod and the first new one;
 * `post` after everything.
 */

import { type CompiledHook, type Moment, showMoment } from '../policy/compile.ts'
import { comparePoints, podsAt } from './point.ts'

export interface HookGroup {
  readonly name: string
  readonly moment: Moment
  /** How many new pods must be available before its hooks run. */
  readonly pods: number
  readonly hooks: readonly CompiledHook[]
}

/** Groups of the way to completion; hooks for an abort are not among them. Of `replicas` pods `reach` will be new in the end. */
export function groupsOf(
  hooks: readonly CompiledHook[],
  replicas: number,
  reach: number = replicas,
): readonly HookGroup[] {
  const groups: HookGroup[] = []
  for (const hook of hooks
    .filter(({ moment }) => moment.kind !== 'aborted')
    .toSorted((a, b) => compare(a.moment, b.moment, replicas))) {
    const last = groups.at(-1)
    if (last !== undefined && compare(last.moment, hook.moment, replicas) === 0) {
      groups[groups.length - 1] = { ...last, hooks: [...last.hooks, hook] }
    } else
      groups.push({
        name: showMoment(hook.moment),
        moment: hook.moment,
        pods: Math.min(reach, podsOf(hook.moment, replicas)),
        hooks: [hook],
      })
  }
  return groups
}

function podsOf(moment: Moment, replicas: number): number {
  if (moment.kind === 'progress') return podsAt(moment.point, replicas)
  return moment.kind === 'post' ? replicas : 0
}

function compare(a: Moment, b: Moment, replicas: number): number {
  if (a.kind === 'progress' && b.kind === 'progress') return comparePoints(a.point, b.point, replicas)
  return rank(a) - rank(b)
}

/** `mid` stands right after 0, `post` after all; where both are points their amounts decide. */
function rank(moment: Moment): number {
  if (moment.kind === 'progress') return moment.point.amount === 0 ? 0 : 2
  return moment.kind === 'mid' ? 1 : 3
}
