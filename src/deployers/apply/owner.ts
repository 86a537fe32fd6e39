/**
 * Whose an object is: the label and the annotation that a deployer puts on everything it applies, and the name under which the server
 * records its writes. The label has the item's name alone, as everybody expects; the annotation tells items of the same name apart.
 */
import { labelValueOf } from '../../kube/label-value.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { ResourceReference } from './managed.ts'

export interface Owner {
  /** `manifest.deployer.landscaper.gardener.cloud/deployitem`, or that of another deployer. */
  readonly label: string
  readonly value: string
  /** Namespace and name of the item. */
  readonly item: string
  readonly fieldManager: string
}

const itemAnnotation = 'deployers.carabiner.dev/item'

const longestManager = 128

export function ownerOf(label: string, item: { readonly namespace: string; readonly name: string }): Owner {
  const { namespace, name } = item
  const whole = `${namespace}/${name}`
  return { label, value: labelValueOf(name), item: whole, fieldManager: `carabiner/${whole}`.slice(0, longestManager) }
}

export function isOwned({ metadata }: KubeObject, { label, value, item }: Owner): boolean {
  return metadata.labels?.[label] === value && (metadata.annotations?.[itemAnnotation] ?? item) === item
}

/** An object that another item took over, or that somebody made anew after ours was gone, is not ours to delete. */
export function mayDelete(live: KubeObject, owner: Owner, recorded: ResourceReference): boolean {
  if (live.metadata.labels?.[owner.label] !== undefined) return isOwned(live, owner)
  return recorded.uid !== undefined && recorded.uid === live.metadata.uid
}

export function marked(object: KubeObject, { label, value, item }: Owner): KubeObject {
  const { metadata } = object
  const labels = { ...metadata.labels, [label]: value }
  return {
    ...object,
    metadata: { ...metadata, labels, annotations: { ...metadata.annotations, [itemAnnotation]: item } },
  }
}
