/** Whose an object is: the label that a deployer puts on everything it applies, and the name under which the server records its writes. */
import type { KubeObject } from '../../kube/object.ts'
import { sha256Hex } from '../../runtime/sha256.ts'
import type { ResourceReference } from './managed.ts'

export interface Owner {
  /** `manifest.deployer.landscaper.gardener.cloud/deployitem`, or that of another deployer. */
  readonly label: string
  readonly value: string
  readonly fieldManager: string
}

const longestValue = 63
const longestManager = 128

export function ownerOf(label: string, item: { readonly namespace: string; readonly name: string }): Owner {
  const { namespace, name } = item
  // Names may be longer than label values.
  const value = name.length <= longestValue ? name : `${name.slice(0, 50)}-${sha256Hex(name).slice(0, 12)}`
  return { label, value, fieldManager: `carabiner/${namespace}/${name}`.slice(0, longestManager) }
}

export function isOwned(live: KubeObject, { label, value }: Owner): boolean {
  return live.metadata.labels?.[label] === value
}

/** An object that another item took over, or that somebody made anew after ours was gone, is not ours to delete. */
export function mayDelete(live: KubeObject, owner: Owner, recorded: ResourceReference): boolean {
  const label = live.metadata.labels?.[owner.label]
  if (label !== undefined) return label === owner.value
  return recorded.uid !== undefined && recorded.uid === live.metadata.uid
}

export function labelled(object: KubeObject, { label, value }: Owner): KubeObject {
  const { metadata } = object
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [label]: value } } }
}
