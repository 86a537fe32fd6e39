/**
 * The ReplicaSet of a new template, made ahead of the native controller, with no pods. The controller adopts it, because its template is
 * the Deployment's and its labels fit.
 */
import type { KubeObject } from '../../kube/object.ts'
import { podTemplateHashLabel } from '../engine/template-hash.ts'
import type { Deployment } from '../policy/workload.ts'

export function replicaSetOf({ metadata, spec }: Deployment, name: string): KubeObject & { readonly spec: object } {
  const hash = name.slice(metadata.name.length + 1)
  const labels = { ...spec.template.metadata?.labels, [podTemplateHashLabel]: hash }
  const { selector } = spec
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      labels,
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
