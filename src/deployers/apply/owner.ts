/**
 * The marks of ownership: the label and the annotation that a deployer sets on every object it applies, and its field manager. The label
 * has only the item's name, as in Landscaper; the annotation distinguishes items of the same name in different namespaces.
 */
import { type KubeObject, labelValueOf } from '../../kube/index.ts'
import type { ResourceReference } from './managed.ts'

export interface Owner {
  /** `manifest.deployer.landscaper.gardener.cloud/deployitem`, or the label of another deployer. */
  readonly label: string
  readonly value: string
  /** Namespace and name of the item. */
  readonly item: string
  readonly fieldManager: string
}

const itemAnnotation = 'deployers.carabiner.dev/item'

const maxManagerLength = 128

export function ownerOf(label: string, item: { readonly namespace: string; readonly name: string }): Owner {
  const { namespace, name } = item
  const whole = `${namespace}/${name}`
  return {
    label,
    value: labelValueOf(name),
    item: whole,
    fieldManager: `carabiner/${whole}`.slice(0, maxManagerLength),
  }
}

export function isOwned({ metadata }: KubeObject, { label, value, item }: Owner): boolean {
  return metadata.labels?.[label] === value && (metadata.annotations?.[itemAnnotation] ?? item) === item
}

/** False for an object that another item has adopted, or that was deleted and re-created by someone else. */
export function mayDelete(live: KubeObject, owner: Owner, recorded: ResourceReference): boolean {
  if (live.metadata.labels?.[owner.label] !== undefined) return isOwned(live, owner)
  return recorded.uid !== undefined && recorded.uid === live.metadata.uid
}

export function withOwner(object: KubeObject, { label, value, item }: Owner): KubeObject {
  const { metadata } = object
  const labels = { ...metadata.labels, [label]: value }
  return {
    ...object,
    metadata: { ...metadata, labels, annotations: { ...metadata.annotations, [itemAnnotation]: item } },
  }
}
