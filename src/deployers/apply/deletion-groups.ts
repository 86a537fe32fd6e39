/**
 * In which order things are deleted: groups, each of which must be gone before the next one starts. Without a choice of the user:
 * namespaced objects, then cluster-scoped ones, then definitions.
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
  /** Everything on the target that the selectors fit, not only what the item has. */
  readonly deleteAllResources?: boolean
  /** Another target of the item's namespace. */
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

/** Known without asking the server, which may not serve the kind any more. */
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
