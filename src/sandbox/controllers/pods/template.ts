/** Creates pods from templates and compares templates without the pod-template-hash label. */

import type { KubeObject, OwnerReference } from '../../../kube/index.ts'
import type { Pod, PodTemplate } from '../../../kube/kinds/index.ts'
import { canonical } from '../../kinds/canonical.ts'
import { shortHash } from '../../kinds/hash.ts'

export const podTemplateHashLabel = 'pod-template-hash'

/** Cached objects never change, so one text per template object is enough. */
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

/** A pod of this template with a generated name, like `GetPodFromTemplate`. */
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
