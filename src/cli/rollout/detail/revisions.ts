/** The revisions of a workload: the ReplicaSets of a Deployment, the ControllerRevisions of the others. */
import { isForbidden, isNotFound, type KubeObject, labelSelectorText } from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { PodTemplate, RolloutPolicy, Workload } from '../../../rollouts/index.ts'
import type { Place } from '../../place.ts'

export interface Revision {
  readonly kind: 'ReplicaSet' | 'ControllerRevision'
  readonly name: string
  readonly number: number
  readonly createdAt: string
  readonly template: PodTemplate
}

/** Newest first; none where the user may not read them. */
export async function revisionsOf({ client, namespace }: Place, workload: Workload): Promise<readonly Revision[]> {
  const own = { namespace, labelSelector: labelSelectorText(workload.spec.selector) }
  const isOwn = ({ metadata }: KubeObject) =>
    metadata.ownerReferences?.some(({ uid }) => uid === workload.metadata.uid) ?? false
  try {
    const found =
      workload.kind === 'Deployment'
        ? (await client.of(resources.replicaSets).list(own)).items.filter(isOwn).map(
            ({ metadata, spec }): Revision => ({
              ...{ kind: 'ReplicaSet', name: metadata.name, createdAt: metadata.creationTimestamp ?? '' },
              number: Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0),
              template: spec.template as PodTemplate,
            }),
          )
        : (await client.of(resources.controllerRevisions).list(own)).items.filter(isOwn).map(
            ({ metadata, data, revision }): Revision => ({
              ...{ kind: 'ControllerRevision', name: metadata.name, createdAt: metadata.creationTimestamp ?? '' },
              number: revision,
              template: (data?.spec?.template ?? { spec: { containers: [] } }) as PodTemplate,
            }),
          )
    return found.toSorted((a, b) => b.number - a.number)
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return []
    throw error
  }
}

/** The template of a revision by its name; the workload itself has that of the newest, also before its revision exists. */
export function templateOf(
  name: string | undefined,
  {
    revisions,
    workload,
    policy,
  }: { revisions: readonly Revision[]; workload?: Workload | undefined; policy: RolloutPolicy },
): PodTemplate | undefined {
  const found = revisions.find((revision) => revision.name === name)?.template
  return found ?? (name !== undefined && name === policy.status?.rollout?.to ? workload?.spec.template : undefined)
}

/** The name of the ReplicaSet or ControllerRevision that the pod is of. */
export function revisionOf({ metadata }: KubeObject): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  const hash = metadata.labels?.['controller-revision-hash']
  if (hash === undefined) return owner?.name
  return owner?.kind === 'DaemonSet' ? `${owner.name}-${hash}` : hash
}
