/** Validation of containers: names, images, ports, environment, mounts, probes, resources. */
import { append, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { listAt, objectAt } from '../defaults/fill.ts'
import {
  duplicate,
  type FieldError,
  forbiddenValue,
  invalid,
  notFoundValue,
  notSupported,
  required,
} from '../field-error.ts'
import { compareQuantities } from '../types/quantity.ts'
import { dnsLabel, nonNegatives, portName, portNumber, portNumberOrName } from './common.ts'

/** Names of the volumes a container can mount. */
type Volumes = ReadonlySet<string>

export function validateContainers(spec: JsonObject, place: string, volumes: Volumes): readonly FieldError[] {
  const containers = listAt(spec, 'containers')
  const field = `${place}.containers`
  if (containers.length === 0) return [required(field)]
  const names = new Set<string>()
  return containers.flatMap((container, index) => [
    ...commonErrors(container, `${field}[${index}]`, volumes),
    ...nameTaken(container, `${field}[${index}]`, names),
    ...lifecycleErrors(container, `${field}[${index}]`),
  ])
}

export function validateInitContainers(spec: JsonObject, place: string, volumes: Volumes): readonly FieldError[] {
  const names = new Set(listAt(spec, 'containers').map(({ name }) => String(name)))
  return listAt(spec, 'initContainers').flatMap((container, index) => {
    const field = `${place}.initContainers[${index}]`
    const errors = [...commonErrors(container, field, volumes), ...nameTaken(container, field, names)]
    if (container['restartPolicy'] === 'Always') return [...errors, ...lifecycleErrors(container, field)]
    const detail = 'may not be set for init containers without restartPolicy=Always'
    for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']) {
      if (container[name] !== undefined) errors.push(forbiddenValue(`${field}.${name}`, detail))
    }
    return errors
  })
}

function nameTaken(container: JsonObject, field: string, names: Set<string>): readonly FieldError[] {
  const name = String(container['name'] ?? '')
  if (names.has(name)) return [duplicate(`${field}.name`, name)]
  names.add(name)
  return []
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never']

function commonErrors(container: JsonObject, field: string, volumes: Volumes): FieldError[] {
  const errors: FieldError[] = []
  if (!container['name']) errors.push(required(`${field}.name`))
  else append(errors, dnsLabel(container['name'], `${field}.name`))
  if (!container['image']) errors.push(required(`${field}.image`))
  append(errors, portErrors(container, `${field}.ports`))
  append(errors, environmentErrors(container, `${field}.env`))
  append(errors, mountErrors(container, `${field}.volumeMounts`, volumes))
  const policy = container['imagePullPolicy']
  if (policy !== undefined && !pullPolicies.includes(String(policy))) {
    errors.push(notSupported(`${field}.imagePullPolicy`, policy, pullPolicies))
  }
  append(errors, resourceErrors(objectAt(container, 'resources'), `${field}.resources`))
  return errors
}

const protocols = ['SCTP', 'TCP', 'UDP']

function portErrors(container: JsonObject, field: string): readonly FieldError[] {
  const names = new Set<string>()
  return listAt(container, 'ports').flatMap((port, index) => {
    const place = `${field}[${index}]`
    const errors: FieldError[] = []
    const name = String(port['name'] ?? '')
    if (name !== '') {
      const faults = portName(name)
      append(
        errors,
        faults.map((fault) => invalid(`${place}.name`, name, fault)),
      )
      if (faults.length === 0 && names.has(name)) errors.push(duplicate(`${place}.name`, name))
      names.add(name)
    }
    const number = port['containerPort']
    if (typeof number !== 'number' || number === 0) errors.push(required(`${place}.containerPort`))
    else append(errors, portNumber(number, `${place}.containerPort`))
    if (typeof port['hostPort'] === 'number') append(errors, portNumber(port['hostPort'], `${place}.hostPort`))
    const protocol = String(port['protocol'] ?? '')
    if (protocol === '') errors.push(required(`${place}.protocol`))
    else if (!protocols.includes(protocol)) errors.push(notSupported(`${place}.protocol`, protocol, protocols))
    return errors
  })
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef']

function environmentErrors(container: JsonObject, field: string): readonly FieldError[] {
  return listAt(container, 'env').flatMap((variable, index) => {
    const place = `${field}[${index}]`
    const errors: FieldError[] = []
    const name = String(variable['name'] ?? '')
    if (name === '') errors.push(required(`${place}.name`))
    else if (!/^[ -<>-~]+$/.test(name)) {
      errors.push(
        invalid(
          `${place}.name`,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='",
        ),
      )
    }
    const from = variable['valueFrom']
    if (!isJsonObject(from)) return errors
    const given = sources.filter((source) => from[source] !== undefined)
    const what = `${place}.valueFrom`
    if (given.length === 0) {
      errors.push(
        invalid(
          what,
          '',
          'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
        ),
      )
    } else if (variable['value']) errors.push(invalid(what, '', 'may not be specified when `value` is not empty'))
    else if (given.length > 1) errors.push(invalid(what, '', 'may not have more than one field specified at a time'))
    for (const source of ['configMapKeyRef', 'secretKeyRef']) {
      if (from[source] !== undefined && !objectAt(from, source)['key']) errors.push(required(`${what}.${source}.key`))
    }
    return errors
  })
}

function mountErrors(container: JsonObject, field: string, volumes: Volumes): readonly FieldError[] {
  const paths = new Set<string>()
  return listAt(container, 'volumeMounts').flatMap((mount, index) => {
    const place = `${field}[${index}]`
    const errors: FieldError[] = []
    const name = String(mount['name'] ?? '')
    const path = String(mount['mountPath'] ?? '')
    if (name === '') errors.push(required(`${place}.name`))
    if (!volumes.has(name)) errors.push(notFoundValue(`${place}.name`, name))
    if (path === '') errors.push(required(`${place}.mountPath`))
    if (paths.has(path)) errors.push(invalid(`${place}.mountPath`, path, 'must be unique'))
    paths.add(path)
    return errors
  })
}

function resourceErrors(resources: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const limits = objectAt(resources, 'limits')
  const requests = objectAt(resources, 'requests')
  for (const [name, quantity] of Object.entries(limits)) {
    if (compareQuantities(String(quantity), '0') < 0) {
      errors.push(invalid(`${field}.limits[${name}]`, quantity, 'must be greater than or equal to 0'))
    }
  }
  for (const [name, quantity] of Object.entries(requests)) {
    if (compareQuantities(String(quantity), '0') < 0) {
      errors.push(invalid(`${field}.requests[${name}]`, quantity, 'must be greater than or equal to 0'))
    }
    const limit = limits[name]
    if (limit !== undefined && compareQuantities(String(quantity), String(limit)) > 0) {
      const detail = `must be less than or equal to ${name} limit of ${String(limit)}`
      errors.push(invalid(`${field}.requests`, quantity, detail))
    }
  }
  return errors
}

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep']

function lifecycleErrors(container: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const lifecycle = objectAt(container, 'lifecycle')
  for (const name of ['postStart', 'preStop']) {
    if (lifecycle[name] !== undefined) {
      append(errors, handlerErrors(objectAt(lifecycle, name), `${field}.lifecycle.${name}`))
    }
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (container[name] !== undefined) append(errors, probeErrors(objectAt(container, name), `${field}.${name}`, name))
  }
  return errors
}

function probeErrors(probe: JsonObject, field: string, kind: string): readonly FieldError[] {
  const numbers = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']
  const errors = [...handlerErrors(probe, field), ...nonNegatives(probe, field, ...numbers)]
  if (kind !== 'readinessProbe' && probe['successThreshold'] !== 1) {
    errors.push(invalid(`${field}.successThreshold`, probe['successThreshold'] ?? 0, 'must be 1'))
  }
  return errors
}

function handlerErrors(handler: JsonObject, field: string): readonly FieldError[] {
  const given = handlers.filter((name) => handler[name] !== undefined)
  if (given.length === 0) return [required(field, 'must specify a handler type')]
  const errors: FieldError[] = given
    .slice(1)
    .map((name) => forbiddenValue(`${field}.${name}`, 'may not specify more than 1 handler type'))
  const exec = handler['exec']
  if (isJsonObject(exec) && !hasItems(exec['command'])) errors.push(required(`${field}.exec.command`))
  const get = handler['httpGet']
  if (isJsonObject(get)) {
    if (!get['path']) errors.push(required(`${field}.httpGet.path`))
    append(errors, portNumberOrName(get['port'], `${field}.httpGet.port`))
    if (get['scheme'] !== 'HTTP' && get['scheme'] !== 'HTTPS') {
      errors.push(notSupported(`${field}.httpGet.scheme`, get['scheme'] ?? '', ['HTTP', 'HTTPS']))
    }
  }
  const socket = handler['tcpSocket']
  if (isJsonObject(socket)) append(errors, portNumberOrName(socket['port'], `${field}.tcpSocket.port`))
  return errors
}

function hasItems(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0
}
