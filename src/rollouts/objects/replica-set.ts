/**
 * The ReplicaSet of a new template, created before the native controller would, with no pods. The controller adopts it, because its template is
 * the Deployment's and its labels match the selector.
 */
import type { KubeObject } from '../../kube/index.ts'
import type { Deployment } from '../policy/workload.ts'
import { podTemplateHashLabel } from './template-hash.ts'

/**
 * Whose fields it consists of: those of the controller that takes it over, as in any other set. At every write, a server goes through the whole
 * object once for each of its managers, and a set is written about a dozen times in a rollout.
 */
export const replicaSetManager = 'kube-controller-manager'

const prefix = 'deployment.kubernetes.io/'
/** What the controller keeps to the Deployment itself. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  ...['revision', 'revision-history', 'desired-replicas', 'max-replicas'].map((name) => prefix + name),
])

/** Annotated as the controller would, which then need not write it again. `number` counts the revisions of the Deployment. */
export function replicaSetOf(
  { metadata, spec }: Deployment,
  name: string,
  number: number,
): KubeObject & { readonly spec: object } {
  const hash = name.slice(metadata.name.length + 1)
  const labels = { ...spec.template.metadata?.labels, [podTemplateHashLabel]: hash }
  const { selector } = spec
  const copied = Object.entries(metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key))
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
      annotations: { ...Object.fromEntries(copied), [`${prefix}revision`]: String(number) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: metadata.name,
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas: 0,
      minReadySeconds: spec.minReadySeconds ?? 0,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [podTemplateHashLabel]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  }
}
