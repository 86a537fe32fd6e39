/**
 * From a template to a pod, and templates compared: the pod-template-hash label never counts.
 */
import type { KubeObject, OwnerReference } from '../../../kube/object.ts'
import { canonical } from '../../kinds/canonical.ts'
import { shortHash } from '../../kinds/hash.ts'
import type { Pod, PodTemplate } from '../../kinds/pod.ts'

export const podTemplateHashLabel = 'pod-template-hash'

/** Objects in caches never change, so that one text per template object is enough. */
const texts = new WeakMap<PodTemplate, string>()

function textOf(template: PodTemplate): string {
  let text = texts.get(template)
  if (text === undefined) {
    text = canonical(template, podTemplateHashLabel)
    texts.set(template, text)
  }
  return text
}

export function sameTemplate(one: PodTemplate, other: PodTemplate): boolean {
  return one === other || textOf(one) === textOf(other)
}

export function templateHash(template: PodTemplate, collisionCount?: number): string {
  return shortHash(textOf(template), collisionCount)
}

/** A pod of this template with a generated name, as `GetPodFromTemplate` makes it. */
export function podFromTemplate(template: PodTemplate, parent: KubeObject, owner: OwnerReference): Pod {
  const prefix = `${parent.metadata.name}-`
  const { labels, annotations, finalizers } = template.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: prefix,
      namespace: parent.metadata.namespace ?? '',
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
      ownerReferences: [owner],
    },
    spec: template.spec,
  }
}
