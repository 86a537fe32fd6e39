/**
 * Cluster IPs and node ports of Services. They are assigned in sequence and never reused, which is enough for a cluster
 * without network.
 */
import type { JsonObject } from '../../../../runtime/index.ts'
import { isEmptyMap, listAt } from '../../defaults/fill.ts'
import { type ApiObject, withMetadata } from '../../object.ts'
import { type Preparation, specOf, withSpec } from './preparation.ts'

const firstNodePort = 30_000

export class ServiceAddresses {
  /** 10.96.0.1 is the kubernetes Service. */
  #nextAddress = 10
  #nextPort = firstNodePort

  address(): string {
    const number = this.#nextAddress++
    return `10.96.${Math.floor(number / 256) % 256}.${number % 256}`
  }

  nodePort(): number {
    return this.#nextPort++
  }
}

function hasNodePorts(spec: JsonObject): boolean {
  if (spec['type'] === 'NodePort') return true
  return spec['type'] === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false
}

function withNodePorts(spec: JsonObject, addresses: ServiceAddresses): JsonObject {
  if (!hasNodePorts(spec)) return spec
  const ports = listAt(spec, 'ports').map((port) =>
    port['nodePort'] ? port : { ...port, nodePort: addresses.nodePort() },
  )
  return { ...spec, ports }
}

function withAddresses(spec: JsonObject, addresses: ServiceAddresses): JsonObject {
  if (spec['type'] === 'ExternalName') return spec
  const given = spec['clusterIP'] || (Array.isArray(spec['clusterIPs']) ? spec['clusterIPs'][0] : undefined)
  const clusterIP = given === undefined ? addresses.address() : String(given)
  const family = clusterIP.includes(':') ? 'IPv6' : 'IPv4'
  // The endpoints of a headless Service without a selector are created manually and can be dual-stack.
  const hasManualEndpoints = clusterIP === 'None' && isEmptyMap(spec['selector'])
  return {
    ...spec,
    clusterIP,
    clusterIPs: spec['clusterIPs'] ?? [clusterIP],
    ipFamilies: spec['ipFamilies'] ?? (hasManualEndpoints ? ['IPv4', 'IPv6'] : [family]),
    ipFamilyPolicy: spec['ipFamilyPolicy'] ?? (hasManualEndpoints ? 'RequireDualStack' : 'SingleStack'),
  }
}

/** An update that omits assigned values keeps them while the type supports them. */
function keptAssignments(object: ApiObject, old: ApiObject): ApiObject {
  const spec = specOf(object)
  const before = specOf(old)
  if (spec['type'] === 'ExternalName') {
    if (before['type'] === 'ExternalName') return object
    return withSpec(object, {
      clusterIP: undefined,
      clusterIPs: undefined,
      ipFamilies: undefined,
      ipFamilyPolicy: undefined,
      internalTrafficPolicy: undefined,
    })
  }
  if (before['type'] === 'ExternalName') return object
  const kept = withSpec(object, {
    clusterIP: spec['clusterIP'] || before['clusterIP'],
    clusterIPs: spec['clusterIPs'] ?? before['clusterIPs'],
    ipFamilies: spec['ipFamilies'] ?? before['ipFamilies'],
    ipFamilyPolicy: spec['ipFamilyPolicy'] ?? before['ipFamilyPolicy'],
  })
  return hasNodePorts(spec) && hasNodePorts(before) ? withOldNodePorts(kept, before) : kept
}

function withOldNodePorts(object: ApiObject, before: JsonObject): ApiObject {
  const known = listAt(before, 'ports')
  const ports = listAt(specOf(object), 'ports').map((port) => {
    if (port['nodePort']) return port
    const same = known.find((one) => one['port'] === port['port'] && one['protocol'] === port['protocol'])
    return same?.['nodePort'] ? { ...port, nodePort: same['nodePort'] } : port
  })
  return withSpec(object, { ports })
}

function withoutNodePorts(object: ApiObject, old: ApiObject): ApiObject {
  if (hasNodePorts(specOf(object)) || !hasNodePorts(specOf(old))) return object
  const ports = listAt(specOf(object), 'ports').map(({ nodePort: _released, ...port }) => port)
  return withSpec(object, { ports })
}

export function servicePreparation(addresses: ServiceAddresses): Preparation {
  const assigned = (object: ApiObject): ApiObject => {
    const spec = withNodePorts(withAddresses(specOf(object), addresses), addresses)
    return { ...object, spec }
  }
  return {
    create: (object) => withMetadata(assigned(object), { generation: undefined }),
    update: (object, old, subresource) =>
      subresource === '' ? assigned(withoutNodePorts(keptAssignments(object, old), old)) : object,
  }
}
