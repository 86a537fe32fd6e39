/** The resources a definition serves: one per served version. */
import type { ServedResource, Subresource, Verb } from '../resource.ts'
import { type ConversionParts, conversionOf } from './conversion.ts'
import { type DefinedVersion, type Definition, storageOf } from './definition.ts'
import { customStrategy } from './strategy.ts'

const everything: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const revising: readonly Verb[] = ['get', 'patch', 'update']

export function customResources(definition: Definition, parts: ConversionParts): readonly ServedResource[] {
  return definition.versions.filter(({ served }) => served).map((version) => servedVersion(definition, version, parts))
}

function servedVersion(definition: Definition, version: DefinedVersion, parts: ConversionParts): ServedResource {
  const { group, names, namespaced } = definition
  return {
    group,
    version: version.name,
    resource: names.plural,
    kind: names.kind,
    listKind: names.listKind,
    singular: names.singular,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced,
    verbs: everything,
    subresources: subresourcesOf(definition, version),
    storage: storageOf(definition),
    itemsNameKind: true,
    strategy: customStrategy(definition, version, conversionOf(definition, version.name, parts)),
  }
}

function subresourcesOf({ group, names }: Definition, version: DefinedVersion): readonly Subresource[] {
  const found: Subresource[] = []
  if (version.hasStatus) {
    found.push({ name: 'status', verbs: revising, group, version: version.name, kind: names.kind })
  }
  if (version.scale !== undefined) {
    found.push({
      name: 'scale',
      verbs: revising,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      scale: version.scale,
    })
  }
  return found
}
