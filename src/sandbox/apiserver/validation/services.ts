/** Validation of services. */
import { append, type Json, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts'
import type { Strategy } from '../resource.ts'
import { validateDnsSubdomain } from '../selectors/names.ts'
import { dnsLabel, labels, portNumber, portNumberOrName } from './common.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const protocols = ['SCTP', 'TCP', 'UDP']
const affinities = ['ClientIP', 'None']

export const validateService: Strategy['validate'] = (object, old, subresource) => {
  if (subresource === 'status') return []
  const spec = objectAt(object, 'spec')
  const type = String(spec['type'] ?? '')
  const isHeadless = spec['clusterIP'] === 'None'
  const errors: FieldError[] = []
  const ports = listAt(spec, 'ports')
  if (ports.length === 0 && !isHeadless && type !== 'ExternalName') errors.push(required('spec.ports'))
  if (type === 'LoadBalancer' && isHeadless) {
    errors.push(invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services"))
  }
  if (type === 'NodePort' && isHeadless) {
    errors.push(invalid('spec.clusterIPs[0]', 'None', "may not be set to 'None' for NodePort services"))
  }
  if (type === 'ExternalName') append(errors, externalNameErrors(spec))
  append(errors, portErrors(ports, type), labels(spec['selector'], 'spec.selector'))
  const affinity = String(spec['sessionAffinity'] ?? '')
  if (affinity === '') errors.push(required('spec.sessionAffinity'))
  else if (!affinities.includes(affinity)) errors.push(notSupported('spec.sessionAffinity', affinity, affinities))
  if (type === '') errors.push(required('spec.type'))
  else if (!types.includes(type)) errors.push(notSupported('spec.type', type, types))
  if (old !== undefined) append(errors, addressErrors(spec, objectAt(old, 'spec')))
  return errors
}

function externalNameErrors(spec: JsonObject): readonly FieldError[] {
  const name = String(spec['externalName'] ?? '')
  const errors: FieldError[] = []
  if (spec['clusterIP'])
    errors.push({
      reason: 'FieldValueForbidden',
      field: 'spec.clusterIPs',
      message: 'Forbidden: may not be set for ExternalName services',
    })
  if (name === '') errors.push(required('spec.externalName'))
  else {
    const faults = validateDnsSubdomain(name.replace(/\.$/, ''))
    append(
      errors,
      faults.map((fault) => invalid('spec.externalName', name, fault)),
    )
  }
  return errors
}

function portErrors(ports: readonly JsonObject[], type: string): readonly FieldError[] {
  const names = new Set<string>()
  const taken = new Set<string>()
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`
    const errors: FieldError[] = []
    const name = String(port['name'] ?? '')
    if (name === '' && ports.length > 1) errors.push(required(`${field}.name`))
    else if (name !== '') {
      append(errors, dnsLabel(name, `${field}.name`))
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name))
      names.add(name)
    }
    append(errors, portNumber(numberOf(port['port']), `${field}.port`))
    const protocol = String(port['protocol'] ?? '')
    if (protocol === '') errors.push(required(`${field}.protocol`))
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${field}.protocol`, protocol, protocols))
    append(errors, portNumberOrName(port['targetPort'], `${field}.targetPort`))
    if (type === 'ClusterIP' && port['nodePort']) {
      errors.push({
        reason: 'FieldValueForbidden',
        field: `${field}.nodePort`,
        message: "Forbidden: may not be used when `type` is 'ClusterIP'",
      })
    }
    const key = `${protocol}/${numberOf(port['port'])}`
    if (taken.has(key)) errors.push(duplicate(field, { protocol, port: port['port'] ?? 0 }))
    taken.add(key)
    return errors
  })
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}

/** The cluster IP is immutable while the type has one. */
function addressErrors(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  if (spec['type'] === 'ExternalName' || old['type'] === 'ExternalName') return []
  const before = Array.isArray(old['clusterIPs']) ? (old['clusterIPs'] as readonly Json[]) : []
  const now = Array.isArray(spec['clusterIPs']) ? (spec['clusterIPs'] as readonly Json[]) : []
  if (before.length === 0 || before[0] === now[0]) {
    if (spec['clusterIP'] === now[0] || now.length === 0) return []
    return [invalid('spec.clusterIPs', [...now], 'first value must match `clusterIP`')]
  }
  return [invalid('spec.clusterIPs[0]', [...now], 'may not change once set')]
}
