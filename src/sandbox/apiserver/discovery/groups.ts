/** API groups and their versions in the order of preference. */
import type { Registry } from '../registry.ts'
import type { ServedResource } from '../resource.ts'

export interface GroupVersions {
  readonly group: string
  /** Most preferred first. */
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[]
}

/** Built-in groups in the order of the real API server; all others follow by name. */
const order = [
  '',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
]

export function groupsOf(registry: Registry): readonly GroupVersions[] {
  const groups = new Map<string, Map<string, ServedResource[]>>()
  for (const resource of registry.all()) {
    const versions = groups.get(resource.group) ?? new Map<string, ServedResource[]>()
    groups.set(resource.group, versions)
    versions.set(resource.version, [...(versions.get(resource.version) ?? []), resource])
  }
  return [...groups]
    .toSorted(([left], [right]) => rank(left) - rank(right) || (left < right ? -1 : 1))
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .toSorted(([left], [right]) => compareVersions(right, left))
        .map(([version, resources]) => ({
          version,
          resources: resources.toSorted((left, right) => (left.resource < right.resource ? -1 : 1)),
        })),
    }))
}

function rank(group: string): number {
  const place = order.indexOf(group)
  return place === -1 ? order.length : place
}

const kubeVersion = /^v(\d+)(?:(alpha|beta)(\d+))?$/

/** v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else by name backwards. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [kubeVersion.exec(left), kubeVersion.exec(right)]
  if (a === null || b === null) {
    if (a !== null) return 1
    if (b !== null) return -1
    return left < right ? 1 : left > right ? -1 : 0
  }
  const stage = (found: RegExpExecArray): number => (found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0)
  return stage(a) - stage(b) || Number(a[1]) - Number(b[1]) || Number(a[3] ?? 0) - Number(b[3] ?? 0)
}
