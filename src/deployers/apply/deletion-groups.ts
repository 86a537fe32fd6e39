/**
 * The order of deletion: groups, each of which must be gone before the next one starts. Without a configured order: namespaced objects,
 * then cluster-scoped ones, then CustomResourceDefinitions.
 */
import type { ManagedResource, ResourceReference } from './managed.ts'
import { type Group, isDefinition } from './scope.ts'

export interface ResourceSelector {
  readonly apiVersion: string
  readonly kind: string
  readonly names?: readonly string[]
  readonly namespaces?: readonly string[]
}

export interface PredefinedGroup {
  readonly type: Group | 'empty'
  readonly forceDelete?: boolean
}

export interface CustomGroup {
  readonly resources: readonly ResourceSelector[]
  readonly forceDelete?: boolean
  /** Deletes every object on the target that a selector matches, not only those of the item. */
  readonly deleteAllResources?: boolean
  /** The name of another Target in the namespace of the item. */
  readonly targetName?: string
}

export interface DeletionGroup {
  readonly predefinedResourceGroup?: PredefinedGroup
  readonly customResourceGroup?: CustomGroup
}

export const defaultGroups: readonly DeletionGroup[] = [
  { predefinedResourceGroup: { type: 'namespaced-resources' } },
  { predefinedResourceGroup: { type: 'cluster-scoped-resources' } },
  { predefinedResourceGroup: { type: 'crds' } },
]

export function isInGroup({ resource }: ManagedResource, group: DeletionGroup): boolean {
  const { predefinedResourceGroup: predefined, customResourceGroup: custom } = group
  if (predefined !== undefined) return groupOfRecorded(resource) === predefined.type
  return custom?.resources.some((selector) => isSelected(resource, selector)) ?? false
}

/** Decided from the record alone, because the server may no longer serve the kind. */
function groupOfRecorded(resource: ResourceReference): Group {
  if (isDefinition(resource)) return 'crds'
  return resource.namespace === '' ? 'cluster-scoped-resources' : 'namespaced-resources'
}

export function isSelected(resource: ResourceReference, selector: ResourceSelector): boolean {
  const { apiVersion, kind, names, namespaces } = selector
  return (
    resource.apiVersion === apiVersion &&
    resource.kind === kind &&
    (names === undefined || names.includes(resource.name)) &&
    (namespaces === undefined || namespaces.includes(resource.namespace))
  )
}
