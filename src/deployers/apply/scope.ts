/**
 * Finds the resource type of each object and with it one of three groups, applied in order: CustomResourceDefinitions, cluster-scoped,
 * namespaced. A definition in the same item counts before the server serves it.
 */
import type { KubeClient, KubeObject, ResourceType } from '../../kube/index.ts'
import { groupOf } from './managed.ts'
import type { DesiredObject } from './manifests.ts'

export type Group = 'crds' | 'cluster-scoped-resources' | 'namespaced-resources'
export const applyOrder: readonly Group[] = ['crds', 'cluster-scoped-resources', 'namespaced-resources']

export interface Placed extends DesiredObject {
  readonly type: ResourceType
  readonly group: Group
}

interface Definition extends KubeObject {
  readonly spec?: {
    readonly group?: string
    readonly scope?: string
    readonly names?: { readonly kind?: string; readonly plural?: string }
    readonly versions?: readonly { readonly name?: string }[]
  }
}

/** A function that finds the type and the group of one object; it rejects with `ResourceNotServed`. */
export function typeFinder(client: KubeClient, all: readonly DesiredObject[], defaultNamespace: string) {
  const ownDefinitions = ownTypes(all)
  return async (desired: DesiredObject): Promise<Placed> => {
    const { apiVersion, kind } = desired.object
    const type = ownDefinitions.get(`${apiVersion} ${kind}`) ?? (await client.discovery.find(apiVersion, kind))
    return {
      ...desired,
      type,
      group: groupFor(desired.object, type),
      object: inNamespace(desired.object, type, defaultNamespace),
    }
  }
}

function groupFor(object: KubeObject, type: ResourceType): Group {
  if (isDefinition(object)) return 'crds'
  return type.namespaced ? 'namespaced-resources' : 'cluster-scoped-resources'
}

export function isDefinition({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kind === 'CustomResourceDefinition' && groupOf(apiVersion) === 'apiextensions.k8s.io'
}

/** As in kubectl: fills in a missing namespace, and drops the namespace of a cluster-scoped object. */
function inNamespace(object: KubeObject, type: ResourceType, defaultNamespace: string): KubeObject {
  const { namespace, ...metadata } = object.metadata
  if (!type.namespaced) return namespace === undefined ? object : { ...object, metadata }
  return namespace ? object : { ...object, metadata: { ...metadata, namespace: defaultNamespace } }
}

function ownTypes(all: readonly DesiredObject[]): ReadonlyMap<string, ResourceType> {
  const types = new Map<string, ResourceType>()
  for (const { object } of all) {
    if (!isDefinition(object)) continue
    const { group, scope, names, versions = [] } = (object as Definition).spec ?? {}
    const { kind, plural } = names ?? {}
    if (group === undefined || kind === undefined || plural === undefined) continue
    for (const { name: version } of versions) {
      if (version === undefined) continue
      types.set(`${group}/${version} ${kind}`, {
        group,
        version,
        resource: plural,
        kind,
        namespaced: scope === 'Namespaced',
      })
    }
  }
  return types
}
