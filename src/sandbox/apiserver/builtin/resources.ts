/** The built-in resources, ready to be served: the type model's facts joined with the rules of each kind. */
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ApiObject } from '../object.ts'
import type { ServedResource, StorageKey, Strategy, Subresource, Verb } from '../resource.ts'
import { type ResourceFacts, typeModel } from '../types/model.ts'
import { KindSchemas } from '../types/schemas.ts'
import { kindRules } from './kinds.ts'
import { sharedRules } from './strategy.ts'

/** Kinds that are kept in the form of another version or group. */
const storedAs: Readonly<Record<string, StorageKey>> = {
  'events.k8s.io/Event': { group: '', resource: 'events', apiVersion: 'v1', kind: 'Event' },
}

/** Older versions that would need a conversion nobody asked for. */
const unserved = new Set(['autoscaling/v1/horizontalpodautoscalers'])

export function builtinResources(runtime: Runtime): readonly ServedResource[] {
  const model = typeModel()
  const schemas = new KindSchemas(model)
  return model.resources
    .filter(({ group, version, resource }) => !unserved.has(`${group}/${version}/${resource}`))
    .map((facts) => served(facts, schemas, runtime))
}

function served(facts: ResourceFacts, schemas: KindSchemas, runtime: Runtime): ServedResource {
  const { group, version, resource, kind } = facts
  const apiVersion = group === '' ? version : `${group}/${version}`
  const subresources = Object.entries(facts.subresources ?? {}).map((entry) => subresourceOf(entry, facts))
  return {
    group,
    version,
    resource,
    kind,
    listKind: `${kind}List`,
    singular: facts.singular,
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    namespaced: facts.namespaced,
    verbs: facts.verbs.split(' ') as Verb[],
    subresources,
    storage: storedAs[`${group}/${kind}`] ?? { group, resource, apiVersion, kind },
    strategy: strategyOf(facts, schemas, runtime),
  }
}

function subresourceOf([name, [type, verbs]]: [string, readonly [string, string]], facts: ResourceFacts): Subresource {
  const parts = type.split('/')
  const [group, version, kind] =
    parts.length === 3 ? (parts as [string, string, string]) : [facts.group, facts.version, type]
  return {
    name,
    verbs: verbs.split(' ') as Verb[],
    group,
    version,
    kind,
    ...(name === 'scale' ? { scale: scalePaths } : {}),
  }
}

const scalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
}

function strategyOf(facts: ResourceFacts, schemas: KindSchemas, runtime: Runtime): Strategy {
  const { group, version, kind } = facts
  const rules = kindRules[`${group}/${kind}`] ?? {}
  const hasStatus = facts.subresources?.['status'] !== undefined
  return {
    ...sharedRules(rules, hasStatus, runtime),
    schema: schemas.ofKind(group, version, kind) ?? {},
    decode: (body) => ({ object: body as ApiObject, faults: [] }),
    default: (object) => object,
    validate: () => [],
    table: {
      columns: [
        { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
        { name: 'Created At', type: 'date', format: '', description: '', priority: 0 },
      ],
      cells: (object) => [object.metadata.name, object.metadata.creationTimestamp ?? null],
    },
  }
}
