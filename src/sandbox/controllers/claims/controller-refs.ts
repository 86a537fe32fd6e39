/**
 * Decides which objects a controller keeps, adopts and releases, by selector and controller reference. Pure. The
 * resulting patches carry the uid, so that a stale decision cannot change a re-created object with the same name.
 */
import type { KubeObject, LabelSelector, OwnerReference, ResourceType } from '../../../kube/index.ts'
import { selects } from '../../kinds/selector.ts'
import type { Write } from '../decisions/decision.ts'

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true)
}

export function controllerRef(owner: KubeObject, type: ResourceType): OwnerReference {
  return {
    apiVersion: type.group === '' ? type.version : `${type.group}/${type.version}`,
    kind: type.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid
}

export interface Claims<T extends KubeObject> {
  readonly kept: readonly T[]
  readonly adopted: readonly T[]
  readonly released: readonly T[]
}

/** `matches` restricts the selector further, for controllers that also check names. */
export function decideClaims<T extends KubeObject>(
  owner: KubeObject,
  selector: LabelSelector,
  candidates: readonly T[],
  matches: (object: T) => boolean = () => true,
): Claims<T> {
  const kept: T[] = []
  const adopted: T[] = []
  const released: T[] = []
  const deleting = owner.metadata.deletionTimestamp !== undefined
  for (const object of candidates) {
    const reference = controllerOf(object)
    const isMatch = selects(selector, object.metadata.labels) && matches(object)
    if (reference !== undefined) {
      if (reference.uid !== owner.metadata.uid) continue
      if (isMatch) kept.push(object)
      else if (!deleting) released.push(object)
    } else if (!deleting && isMatch && object.metadata.deletionTimestamp === undefined) {
      adopted.push(object)
    }
  }
  return { kept, adopted, released }
}

export function claimWrites<T extends KubeObject>(
  owner: KubeObject,
  ownerType: ResourceType,
  type: ResourceType,
  claims: Claims<T>,
): readonly Write[] {
  const writes: Write[] = []
  for (const object of claims.adopted) {
    const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerRef(owner, ownerType)]
    writes.push({ verb: 'patch', type, object, value: { metadata: { uid: object.metadata.uid, ownerReferences } } })
  }
  for (const object of claims.released) {
    const rest = (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== owner.metadata.uid)
    const ownerReferences = rest.length === 0 ? null : rest
    writes.push({ verb: 'patch', type, object, value: { metadata: { uid: object.metadata.uid, ownerReferences } } })
  }
  return writes
}
