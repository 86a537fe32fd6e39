/** The pod template that a revision object keeps, as its workload had it: without what native controllers add when they store it. */
import type { KubeObject } from '../../kube/index.ts'
import type { PodTemplate } from '../policy/workload.ts'
import { podTemplateHashLabel } from './template-hash.ts'

interface RevisionObject extends KubeObject {
  readonly spec?: { readonly template: PodTemplate }
  readonly data?: { readonly spec: { readonly template: PodTemplate & { readonly $patch?: string } } }
}

/** From a ReplicaSet or a ControllerRevision. */
export function templateIn(object: KubeObject): PodTemplate {
  const { spec, data } = object as RevisionObject
  if (spec === undefined) {
    const { $patch: _, ...stored } = (data?.spec.template ?? {}) as { readonly $patch?: string } & PodTemplate
    return stored
  }
  const { metadata = {} } = spec.template
  const { [podTemplateHashLabel]: _, ...labels } = metadata.labels ?? {}
  return { ...spec.template, metadata: { ...metadata, labels } }
}
