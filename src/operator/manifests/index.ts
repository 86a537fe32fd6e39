/**
 * All objects of an installation in the order they are applied: definitions, the namespace, service account and RBAC, the operator
 * itself, and last the gates, which depend on the operator.
 */
import type { KubeObject } from '../../kube/index.ts'
import type { Surface } from '../surface.ts'
import { accessManifests, operatorUser } from './access.ts'
import { labels, type OperatorId } from './operator-id.ts'
import { type WorkloadOptions, workloadManifests } from './workload.ts'

export { userManifests } from './access.ts'
export { configurationFolder, type WorkloadOptions } from './workload.ts'

export function manifests(
  operator: OperatorId,
  surfaces: readonly Surface[],
  options: WorkloadOptions,
): readonly KubeObject[] {
  const { namespace } = operator
  const user = operatorUser(operator)
  const installations = surfaces.flatMap((surface) => surface.installation?.({ user, namespace }) ?? [])
  const metadata = {
    name: namespace,
    labels: { ...labels(operator), 'pod-security.kubernetes.io/enforce': 'restricted' },
  }
  return [
    ...surfaces.flatMap(({ resources }) => resources),
    { apiVersion: 'v1', kind: 'Namespace', metadata } as KubeObject,
    ...accessManifests(
      operator,
      installations.flatMap(({ rules }) => rules),
      installations.flatMap(({ ownRules }) => ownRules),
    ),
    ...workloadManifests(operator, options),
    ...installations.flatMap(({ objects }) => objects),
  ]
}
