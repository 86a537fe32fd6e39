/** What one object uses of each quota resource, keyed by the names of quotas. */
import { isJsonObject, type Json, type JsonObject, objectOf } from '../../../runtime/index.ts'
import { type ApiObject, at } from '../object.ts'
import { readQuantity, writeQuantity } from '../types/quantity.ts'

export type Usage = ReadonlyMap<string, string>

/** Kinds that quotas can count by their plain name. */
const counted = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
])

export function usageOf(kind: { readonly group: string; readonly resource: string }, object: ApiObject): Usage {
  const usage = new Map<string, string>()
  usage.set(`count/${kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`}`, '1')
  if (kind.group !== '') return usage
  if (kind.resource === 'pods') return finished(object) ? usage : podUsage(object, usage)
  if (counted.has(kind.resource)) usage.set(kind.resource, '1')
  if (kind.resource === 'services') {
    const type = at(object, 'spec', 'type')
    if (type === 'LoadBalancer') usage.set('services.loadbalancers', '1')
    if (type === 'LoadBalancer' || type === 'NodePort') {
      const ports = at(object, 'spec', 'ports')
      usage.set('services.nodeports', String(Array.isArray(ports) ? ports.length : 0))
    }
  }
  if (kind.resource === 'persistentvolumeclaims') {
    const storage = at(object, 'spec', 'resources', 'requests', 'storage')
    if (storage !== undefined) usage.set('requests.storage', String(storage))
  }
  return usage
}

/** Finished pods use only `count/pods`. */
function finished(pod: ApiObject): boolean {
  const phase = at(pod, 'status', 'phase')
  return phase === 'Succeeded' || phase === 'Failed'
}

function podUsage(pod: ApiObject, usage: Map<string, string>): Usage {
  usage.set('pods', '1')
  for (const container of listOf(at(pod, 'spec', 'containers'))) {
    for (const kind of ['requests', 'limits'] as const) {
      for (const [name, quantity] of Object.entries(objectOf(at(container, 'resources', kind)))) {
        const key = `${kind}.${name}`
        usage.set(key, sum(usage.get(key) ?? '0', String(quantity)))
        // `cpu` and `memory` without prefix are requests.
        if (kind === 'requests' && (name === 'cpu' || name === 'memory')) usage.set(name, usage.get(key) ?? '0')
      }
    }
  }
  return usage
}

/** Containers without a value for a resource that a quota limits. */
export function unspecified(pod: ApiObject, limited: string): readonly string[] {
  const [kind, name] = limited.includes('.') ? limited.split('.') : ['requests', limited]
  if (kind !== 'requests' && kind !== 'limits') return []
  return listOf(at(pod, 'spec', 'containers'))
    .filter((container) => at(container, 'resources', kind, name ?? '') === undefined)
    .map((container) => String(container['name']))
}

export function sum(left: string, right: string): string {
  const [a, b] = [readQuantity(left), readQuantity(right)]
  if (a === undefined || b === undefined) return left
  return writeQuantity({ nanos: a.nanos + b.nanos, form: a.nanos === 0n ? b.form : a.form })
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}
