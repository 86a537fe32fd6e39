/**
 * ControllerRevisions: the numbered templates of a StatefulSet or DaemonSet. Returning to an old template renumbers its
 * revision instead of creating another.
 */

import type { ResourceType } from '../../../kube/index.ts'
import type { ControllerRevision, DaemonSet, PodTemplate, StatefulSet } from '../../../kube/kinds/index.ts'
import { canonical } from '../../kinds/canonical.ts'
import { shortHash } from '../../kinds/hash.ts'
import { controllerRef } from '../claims/controller-refs.ts'

/** On pods and on revisions of DaemonSets. */
export const revisionHashLabel = 'controller-revision-hash'

/** On revisions of StatefulSets. */
const plainHashLabel = 'controller.kubernetes.io/hash'

/** Maximum length of the owner's name in a revision name. */
const maxPrefixLength = 223

type Owner = StatefulSet | DaemonSet

function dataOf({ spec }: Owner): NonNullable<ControllerRevision['data']> {
  return { spec: { template: { ...spec.template, $patch: 'replace' } as PodTemplate } }
}

export function newRevision(
  owner: Owner,
  type: ResourceType,
  revision: number,
  collisionCount: number | undefined,
): ControllerRevision {
  const data = dataOf(owner)
  const hash = shortHash(canonical(data), collisionCount || undefined)
  const { metadata, spec } = owner
  const hashLabel = type.kind === 'DaemonSet' ? revisionHashLabel : plainHashLabel
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${metadata.name.slice(0, maxPrefixLength)}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels: { ...spec.template.metadata?.labels, [hashLabel]: hash },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerRef(owner, type)],
    },
    data,
    revision,
  }
}

/** Sorted by number, age and name. */
export function sortedRevisions(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
  const order = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1)
  return [...revisions].sort(
    (one, other) =>
      one.revision - other.revision ||
      order(one.metadata.creationTimestamp ?? '', other.metadata.creationTimestamp ?? '') ||
      order(one.metadata.name, other.metadata.name),
  )
}

export function sameData(one: ControllerRevision, other: ControllerRevision): boolean {
  return canonical(one.data) === canonical(other.data)
}

export type RevisionStep =
  | { readonly do: 'keep'; readonly revision: ControllerRevision }
  /** An old template is current again: its revision gets the highest number. */
  | { readonly do: 'renumber'; readonly revision: ControllerRevision }
  | { readonly do: 'create'; readonly revision: ControllerRevision }

/** `revisions` must be sorted by `sortedRevisions`. */
export function decideRevision(
  owner: Owner,
  type: ResourceType,
  revisions: readonly ControllerRevision[],
  collisionCount: number | undefined,
): RevisionStep {
  const newest = revisions.at(-1)
  const wanted = newRevision(owner, type, (newest?.revision ?? 0) + 1, collisionCount)
  const equal = revisions.filter((revision) => sameData(revision, wanted)).at(-1)
  if (equal === undefined) return { do: 'create', revision: wanted }
  if (equal === newest) return { do: 'keep', revision: equal }
  return { do: 'renumber', revision: { ...equal, revision: wanted.revision } }
}

/** Unused revisions beyond the limit, oldest first. */
export function surplusRevisions(
  revisions: readonly ControllerRevision[],
  live: ReadonlySet<string>,
  limit: number,
): readonly ControllerRevision[] {
  const idle = revisions.filter(({ metadata }) => !live.has(metadata.name))
  return limit < 0 ? [] : idle.slice(0, Math.max(0, idle.length - limit))
}

/** The template of a revision. */
export function templateOf(revision: ControllerRevision): PodTemplate | undefined {
  const template = revision.data?.spec?.template
  if (template === undefined) return undefined
  const { $patch: _, ...rest } = template as PodTemplate & { $patch?: string }
  return rest
}
