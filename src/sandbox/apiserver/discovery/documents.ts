/** The documents of classic discovery: the list of groups, one group, one group version. */
import type { JsonObject } from '../../../runtime/index.ts'
import type { ServedResource } from '../resource.ts'
import type { GroupVersions } from './groups.ts'

export function apiVersions(address: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  }
}

export function apiGroupList(groups: readonly GroupVersions[]): JsonObject {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.filter(({ group }) => group !== '').map(groupEntry),
  }
}

export function apiGroup(group: GroupVersions): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) }
}

function groupEntry({ group, versions }: GroupVersions): JsonObject {
  const all = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: all, preferredVersion: all[0] ?? {} }
}

export function apiResourceList(group: string, version: string, resources: readonly ServedResource[]): JsonObject {
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: resources.flatMap((resource) => [resourceEntry(resource), ...subresourceEntries(resource)]),
  }
}

function resourceEntry(resource: ServedResource): JsonObject {
  const { shortNames, categories } = resource
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs].sort(),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  }
}

function subresourceEntries(resource: ServedResource): readonly JsonObject[] {
  return resource.subresources.map(({ name, group, version, kind, verbs }) => ({
    name: `${resource.resource}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(group === resource.group && version === resource.version ? {} : { group, version }),
    kind,
    verbs: [...verbs].sort(),
  }))
}
