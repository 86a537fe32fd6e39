/** The conditions of a terminating namespace, with the messages of the real controller. */

import type { Condition } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { timestamp } from '../../kinds/time.ts'

/** The remaining objects of one resource type. */
export interface RemainingContent {
  /** `pods.`, `deployments.apps`: the resource and its group. */
  readonly resource: string
  readonly count: number
  /** Number of objects per finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
}

function condition(type: string, problem: boolean, reason: string, message: string, now: Instant): Condition {
  return { type, status: problem ? 'True' : 'False', lastTransitionTime: timestamp(now), reason, message }
}

function contentCondition(remainders: readonly RemainingContent[], now: Instant): Condition {
  const type = 'NamespaceContentRemaining'
  const left = remainders.filter(({ count }) => count > 0)
  if (left.length === 0) return condition(type, false, 'ContentRemoved', 'All content successfully removed', now)
  const texts = left.map(({ resource, count }) => `${resource} has ${count} resource instances`).sort()
  return condition(type, true, 'SomeResourcesRemain', `Some resources are remaining: ${texts.join(', ')}`, now)
}

function finalizerCondition(remainders: readonly RemainingContent[], now: Instant): Condition {
  const type = 'NamespaceFinalizersRemaining'
  const counts = new Map<string, number>()
  for (const { finalizers } of remainders) {
    for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  if (counts.size === 0) {
    return condition(type, false, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished', now)
  }
  const texts = Array.from(counts, ([name, count]) => `${name} in ${count} resource instances`).sort()
  const message = `Some content in the namespace has finalizers remaining: ${texts.join(', ')}`
  return condition(type, true, 'SomeFinalizersRemain', message, now)
}

/** Conditions keep their transition time while their status is unchanged. */
export function namespaceConditions(
  before: readonly Condition[],
  remainders: readonly RemainingContent[],
  failures: readonly string[],
  now: Instant,
): readonly Condition[] {
  const discovered = 'All resources successfully discovered'
  const parsed = 'All legacy kube types successfully parsed'
  const deleted = 'All content successfully deleted, may be waiting on finalization'
  const next = [
    condition('NamespaceDeletionDiscoveryFailure', false, 'ResourcesDiscovered', discovered, now),
    condition('NamespaceDeletionGroupVersionParsingFailure', false, 'ParsedGroupVersions', parsed, now),
    failures.length === 0
      ? condition('NamespaceDeletionContentFailure', false, 'ContentDeleted', deleted, now)
      : condition(
          'NamespaceDeletionContentFailure',
          true,
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
          now,
        ),
    contentCondition(remainders, now),
    finalizerCondition(remainders, now),
  ]
  return next.map((one) => {
    const current = before.find(({ type }) => type === one.type)
    return current?.status === one.status && current.lastTransitionTime !== undefined
      ? { ...one, lastTransitionTime: current.lastTransitionTime }
      : one
  })
}
