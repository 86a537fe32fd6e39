/** The annotations in which Deployments and ReplicaSets store revisions and sizes. */
import type { Deployment, ReplicaSet } from '../../../kube/kinds/index.ts'
import { largest } from '../../../runtime/index.ts'

export const revisionAnnotation = 'deployment.kubernetes.io/revision'
export const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history'
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas'
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas'

const neverCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  'deprecated.deployment.rollback.to',
])

/** Maximum length of the revision-history annotation; the oldest revisions are dropped first. */
const maxHistoryLength = 2000

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined
}

/** 0 without the annotation, undefined when it is not a number. */
export function revisionOf(object: ReplicaSet | Deployment): number | undefined {
  const text = object.metadata.annotations?.[revisionAnnotation]
  return text === undefined ? 0 : wholeNumber(text)
}

export function maxRevision(replicaSets: readonly ReplicaSet[]): number {
  return Math.max(0, largest(replicaSets.map((replicaSet) => revisionOf(replicaSet) ?? 0)))
}

export function sizeAnnotation(replicaSet: ReplicaSet, name: string): number | undefined {
  const text = replicaSet.metadata.annotations?.[name]
  const value = text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
  return value === undefined || value > 2147483647 ? undefined : value
}

export function withSizes(
  annotations: Readonly<Record<string, string>> | undefined,
  desired: number,
  max: number,
): Record<string, string> {
  return { ...annotations, [desiredReplicasAnnotation]: String(desired), [maxReplicasAnnotation]: String(max) }
}

export function sizesDiffer(replicaSet: ReplicaSet, desired: number, max: number): boolean {
  const annotations = replicaSet.metadata.annotations
  return (
    annotations?.[desiredReplicasAnnotation] !== String(desired) || annotations?.[maxReplicasAnnotation] !== String(max)
  )
}

function extendHistory(history: string, oldRevision: string): string {
  if (history === '' || history.startsWith(',')) return oldRevision
  const revisions = history.split(',')
  let length = history.length + oldRevision.length + 1
  while (length > maxHistoryLength && revisions.length > 0) length -= (revisions.shift() ?? '').length + 1
  return length <= maxHistoryLength ? [...revisions, oldRevision].join(',') : history
}

/** Copies the annotations of the Deployment, increases the revision and appends the old revision to the history. */
export function newReplicaSetAnnotations(
  deployment: Deployment,
  current: Readonly<Record<string, string>> | undefined,
  newRevision: number,
): Record<string, string> {
  const result: Record<string, string> = { ...current }
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!neverCopied.has(key)) result[key] = value
  }
  const oldRevision = result[revisionAnnotation]
  const oldNumber = oldRevision === undefined || oldRevision === '' ? 0 : wholeNumber(oldRevision)
  if (oldNumber === undefined || oldNumber >= newRevision) return result
  result[revisionAnnotation] = String(newRevision)
  if (oldRevision !== undefined) {
    result[revisionHistoryAnnotation] = extendHistory(result[revisionHistoryAnnotation] ?? '', oldRevision)
  }
  return result
}

export function annotationsDiffer(
  one: Readonly<Record<string, string>> | undefined,
  other: Readonly<Record<string, string>>,
): boolean {
  const keys = Object.keys(other)
  return keys.length !== Object.keys(one ?? {}).length || keys.some((key) => one?.[key] !== other[key])
}
