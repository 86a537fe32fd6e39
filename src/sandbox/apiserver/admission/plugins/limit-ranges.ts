/** LimitRanger: default resources for containers, and minimum and maximum checks. */
import { append, isJsonObject, type Json, type JsonObject } from '../../../../runtime/index.ts'
import { type ApiObject, at, withField, withMetadata } from '../../object.ts'
import { forbidden } from '../../status/status-error.ts'
import type { Store } from '../../storage/store.ts'
import { compareQuantities } from '../../types/quantity.ts'
import type { Attributes } from '../admission.ts'
import type { Plugin } from '../chain.ts'

export function limitRanges(store: Store): Plugin {
  const ranges = store.collection({ group: '', resource: 'limitranges' })
  const limitsFor = (attributes: Attributes, type: string): readonly JsonObject[] => {
    if (ranges.size === 0) return []
    const found = [...ranges.range(`${attributes.namespace}/`)]
    return found
      .flatMap(([, { object }]) => listOf(at(object, 'spec', 'limits')))
      .filter((limit) => limit['type'] === type)
  }
  return {
    mutate(attributes) {
      if (!isNew(attributes, 'pods') || attributes.object === undefined) return
      const limits = limitsFor(attributes, 'Container')
      return limits.reduce(withDefaults, attributes.object)
    },
    validate(attributes) {
      const { object, resource, name } = attributes
      if (object === undefined) return
      const faults: string[] = []
      if (isNew(attributes, 'pods')) {
        const containers = containersOf(object).map((container) => container['resources'])
        for (const limit of limitsFor(attributes, 'Container')) {
          for (const resources of containers) append(faults, bounds(limit, 'Container', resources))
        }
      } else if (isNew(attributes, 'persistentvolumeclaims')) {
        const resources = at(object, 'spec', 'resources')
        for (const limit of limitsFor(attributes, 'PersistentVolumeClaim'))
          append(faults, claimBounds(limit, resources))
      }
      if (faults.length === 0) return
      throw forbidden(resource, name, faults.length === 1 ? (faults[0] ?? '') : `[${[...new Set(faults)].join(', ')}]`)
    },
  }
}

function isNew({ operation, resource, subresource }: Attributes, wanted: string): boolean {
  return operation === 'CREATE' && resource.group === '' && resource.resource === wanted && subresource === undefined
}

function containersOf(pod: ApiObject): readonly JsonObject[] {
  return [...listOf(at(pod, 'spec', 'containers')), ...listOf(at(pod, 'spec', 'initContainers'))]
}

function withDefaults(pod: ApiObject, limit: JsonObject): ApiObject {
  const changes: string[] = []
  const filled = (field: string, word: string): Json =>
    listOf(at(pod, 'spec', field)).map((container) => {
      const limits = completed(at(container, 'resources', 'limits'), limit['default'])
      const requests = completed(at(container, 'resources', 'requests'), limit['defaultRequest'])
      const name = String(container['name'])
      if (requests.added.length > 0) changes.push(`${requests.added.join(', ')} request for ${word} ${name}`)
      if (limits.added.length > 0) changes.push(`${limits.added.join(', ')} limit for ${word} ${name}`)
      const present = container['resources']
      return {
        ...container,
        resources: {
          ...(isJsonObject(present) ? present : {}),
          ...limits.named('limits'),
          ...requests.named('requests'),
        },
      }
    })
  const containers = filled('containers', 'container')
  const init =
    at(pod, 'spec', 'initContainers') === undefined
      ? {}
      : { initContainers: filled('initContainers', 'init container') }
  if (changes.length === 0) return pod
  const annotations = {
    ...pod.metadata.annotations,
    'kubernetes.io/limit-ranger': `LimitRanger plugin set: ${changes.join('; ')}`,
  }
  const spec = { ...(at(pod, 'spec') as JsonObject), containers, ...init }
  return withField(withMetadata(pod, { annotations }), 'spec', spec)
}

function completed(present: Json | undefined, defaults: Json | undefined) {
  const own = isJsonObject(present) ? present : {}
  const added = Object.keys(isJsonObject(defaults) ? defaults : {})
    .filter((key) => own[key] === undefined)
    .toSorted()
  const values: JsonObject = { ...(isJsonObject(defaults) ? defaults : {}), ...own }
  return { added, named: (name: string) => (Object.keys(values).length === 0 ? {} : { [name]: values }) }
}

function bounds(limit: JsonObject, type: string, resources: Json | undefined): readonly string[] {
  const faults: string[] = []
  for (const [name, least] of entriesOf(limit['min'])) {
    const request = at(resources, 'requests', name)
    const most = at(resources, 'limits', name)
    const head = `minimum ${name} usage per ${type} is ${least}`
    if (request === undefined) faults.push(`${head}.  No request is specified`)
    else if (compareQuantities(String(request), least) < 0) faults.push(`${head}, but request is ${String(request)}`)
    else if (most !== undefined && compareQuantities(String(most), least) < 0)
      faults.push(`${head}, but limit is ${String(most)}`)
  }
  for (const [name, greatest] of entriesOf(limit['max'])) {
    const request = at(resources, 'requests', name)
    const most = at(resources, 'limits', name)
    const head = `maximum ${name} usage per ${type} is ${greatest}`
    if (most === undefined) faults.push(`${head}.  No limit is specified`)
    else if (compareQuantities(String(most), greatest) > 0) faults.push(`${head}, but limit is ${String(most)}`)
    else if (request !== undefined && compareQuantities(String(request), greatest) > 0) {
      faults.push(`${head}, but request is ${String(request)}`)
    }
  }
  return faults
}

/** A PersistentVolumeClaim has requests but no limits. */
function claimBounds(limit: JsonObject, resources: Json | undefined): readonly string[] {
  const type = 'PersistentVolumeClaim'
  const faults = [...bounds({ min: limit['min'] ?? {} }, type, { requests: at(resources, 'requests') ?? {} })]
  for (const [name, greatest] of entriesOf(limit['max'])) {
    const request = at(resources, 'requests', name)
    const head = `maximum ${name} usage per ${type} is ${greatest}`
    if (request === undefined) faults.push(`${head}.  No request is specified`)
    else if (compareQuantities(String(request), greatest) > 0) faults.push(`${head}, but request is ${String(request)}`)
  }
  return faults
}

function entriesOf(value: Json | undefined): readonly (readonly [string, string])[] {
  return Object.entries(isJsonObject(value) ? value : {}).map(([name, quantity]) => [name, String(quantity)] as const)
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}
