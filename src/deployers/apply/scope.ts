/**
 * Which resource type each object is of, and so in which of the three groups it is applied: definitions first, then what belongs to the
 * whole cluster, then what lives in namespaces. A definition in the same item counts before the server serves it.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject, ResourceType } from '../../kube/object.ts'
import { groupOf } from './managed.ts'
import type { Wanted } from './wanted.ts'

export type Group = 'crds' | 'cluster-scoped-resources' | 'namespaced-resources'
export const applyOrder: readonly Group[] = ['crds', 'cluster-scoped-resources', 'namespaced-resources']

export interface Placed extends Wanted {
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

/** Finds the type of one object and puts it where it belongs; rejects with `ResourceNotServed`. */
export function placer(client: KubeClient, all: readonly Wanted[], defaultNamespace: string) {
  const own = ownTypes(all)
  return async (wanted: Wanted): Promise<Placed> => {
    const { apiVersion, kind } = wanted.object
    const type = own.get(`${apiVersion} ${kind}`) ?? (await client.discovery.find(apiVersion, kind))
    return { ...wanted, type, group: groupFor(wanted.object, type), object: at(wanted.object, type, defaultNamespace) }
  }
}

function groupFor(object: KubeObject, type: ResourceType): Group {
  if (isDefinition(object)) return 'crds'
  return type.namespaced ? 'namespaced-resources' : 'cluster-scoped-resources'
}

export function isDefinition({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return kind === 'CustomResourceDefinition' && groupOf(apiVersion) === 'apiextensions.k8s.io'
}

/** As kubectl has it: a namespace that is missing is filled in, one that makes no sense is dropped. */
function at(object: KubeObject, type: ResourceType, defaultNamespace: string): KubeObject {
  const { namespace, ...metadata } = object.metadata
  if (!type.namespaced) return namespace === undefined ? object : { ...object, metadata }
  return namespace ? object : { ...object, metadata: { ...metadata, namespace: defaultNamespace } }
}

function ownTypes(all: readonly Wanted[]): ReadonlyMap<string, ResourceType> {
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
