/** Table cells of Services, Endpoints, Ingresses and NetworkPolicies. */
import { type ApiObject, at } from '../object.ts'
import { count, list, selectorCell, shortList, strings, text } from './reading.ts'
import { type Cells, created, marked } from './row.ts'

function ingressAddresses(object: ApiObject): string {
  const found = list(object, 'status.loadBalancer.ingress').map((one) => text(one, 'ip') || text(one, 'hostname'))
  return [...new Set(found)].sort().join(',')
}

function externalAddress(service: ApiObject): string {
  const own = strings(service, 'spec.externalIPs')
  switch (text(service, 'spec.type')) {
    case 'ExternalName':
      return text(service, 'spec.externalName')
    case 'LoadBalancer': {
      const all = [ingressAddresses(service), ...own].filter((address) => address !== '')
      return all.length === 0 ? '<pending>' : all.join(',')
    }
    default:
      return own.length === 0 ? '<none>' : own.join(',')
  }
}

const service: Cells = (object, now) => {
  const ports = list(object, 'spec.ports').map((port) => {
    const nodePort = count(port, 'nodePort')
    return `${count(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port, 'protocol')}`
  })
  const selector = Object.entries((at(object, 'spec', 'selector') ?? {}) as Record<string, string>)
  return [
    object.metadata.name,
    text(object, 'spec.type'),
    strings(object, 'spec.clusterIPs')[0] ?? '<none>',
    externalAddress(object),
    ports.length === 0 ? '<none>' : ports.join(','),
    created(object, now),
    selector.length === 0
      ? '<none>'
      : selector
          .map(([key, value]) => `${key}=${value}`)
          .sort()
          .join(','),
  ]
}

const endpoints: Cells = (object, now) => {
  const all = list(object, 'subsets').flatMap((subset) => {
    const addresses = list(subset, 'addresses').map((address) => text(address, 'ip'))
    const ports = list(subset, 'ports').map((port) => count(port, 'port'))
    if (ports.length === 0) return addresses
    return ports.flatMap((port) => addresses.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)))
  })
  const cell = list(object, 'subsets').length === 0 ? '<none>' : shortList(all, '')
  return [object.metadata.name, cell, created(object, now)]
}

const endpointSlice: Cells = (object, now) => [
  object.metadata.name,
  text(object, 'addressType'),
  shortList(
    list(object, 'ports').map((port) => text(port, 'port') || text(port, 'name', '*')),
    '<unset>',
  ),
  shortList(
    list(object, 'endpoints').flatMap((endpoint) => strings(endpoint, 'addresses')),
    '<unset>',
  ),
  created(object, now),
]

const ingress: Cells = (object, now) => {
  const rules = list(object, 'spec.rules')
  const hosts = rules.map((rule) => text(rule, 'host')).filter((host) => host !== '')
  const shown = hosts.slice(0, 3).join(',')
  return [
    object.metadata.name,
    text(object, 'spec.ingressClassName', '<none>'),
    hosts.length === 0 ? '*' : rules.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown,
    ingressAddresses(object),
    list(object, 'spec.tls').length === 0 ? '80' : '80, 443',
    created(object, now),
  ]
}

const ingressClass: Cells = (object, now) => {
  const group = text(object, 'spec.parameters.apiGroup')
  const kind = text(object, 'spec.parameters.kind')
  return [
    marked(object, 'ingressclass.kubernetes.io/is-default-class'),
    text(object, 'spec.controller'),
    kind === '' ? '<none>' : `${group === '' ? kind : `${kind}.${group}`}/${text(object, 'spec.parameters.name')}`,
    created(object, now),
  ]
}

export const networkCells: Readonly<Record<string, Cells>> = {
  '/Endpoints': endpoints,
  '/Service': service,
  'discovery.k8s.io/EndpointSlice': endpointSlice,
  'networking.k8s.io/Ingress': ingress,
  'networking.k8s.io/IngressClass': ingressClass,
  'networking.k8s.io/NetworkPolicy': (object, now) => [
    object.metadata.name,
    selectorCell(object, 'spec.podSelector'),
    created(object, now),
  ],
}
