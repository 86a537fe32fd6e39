/** The built-in resources of the type model, ready to be served. */
import type { ScalePaths, ServedResource, Subresource, Verb } from '../resource.ts'
import { type ResourceFacts, typeModel } from './model.ts'
import { storageKeyOf } from './storage.ts'
import { BuiltinStrategies } from './strategy.ts'

const scale: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
}

export function builtinResources(): readonly ServedResource[] {
  const model = typeModel()
  const strategies = new BuiltinStrategies(model)
  return model.resources.map((facts) => ({
    group: facts.group,
    version: facts.version,
    resource: facts.resource,
    kind: facts.kind,
    listKind: `${facts.kind}List`,
    singular: facts.singular,
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    namespaced: facts.namespaced,
    verbs: verbsOf(facts.verbs),
    subresources: Object.entries(facts.subresources ?? {}).map(([name, [kind, verbs]]) =>
      subresource(facts, name, kind, verbs),
    ),
    storage: storageKeyOf(facts),
    strategy: strategies.of(facts),
  }))
}

function verbsOf(text: string): readonly Verb[] {
  return text.split(' ') as Verb[]
}

function subresource(facts: ResourceFacts, name: string, kind: string, verbs: string): Subresource {
  const [group, version, own] = kind.includes('/') ? kind.split('/') : [facts.group, facts.version, kind]
  return {
    name,
    verbs: verbsOf(verbs),
    group: group ?? '',
    version: version ?? '',
    kind: own ?? kind,
    ...(name === 'scale' ? { scale } : {}),
  }
}
