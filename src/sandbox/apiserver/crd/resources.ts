/** The resources served for a definition: one per served version. */
import type { ServedResource, Subresource, Verb } from '../resource.ts'
import { type ConversionDependencies, conversionOf } from './conversion.ts'
import { type DefinedVersion, type Definition, storageOf } from './definition.ts'
import { customStrategy } from './strategy.ts'

const allVerbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const subresourceVerbs: readonly Verb[] = ['get', 'patch', 'update']

export function customResources(
  definition: Definition,
  dependencies: ConversionDependencies,
): readonly ServedResource[] {
  return definition.versions
    .filter(({ served }) => served)
    .map((version) => servedVersion(definition, version, dependencies))
}

function servedVersion(
  definition: Definition,
  version: DefinedVersion,
  dependencies: ConversionDependencies,
): ServedResource {
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
    verbs: allVerbs,
    subresources: subresourcesOf(definition, version),
    storage: storageOf(definition),
    itemsNameKind: true,
    strategy: customStrategy(definition, version, conversionOf(definition, version.name, dependencies)),
  }
}

function subresourcesOf({ group, names }: Definition, version: DefinedVersion): readonly Subresource[] {
  const found: Subresource[] = []
  if (version.hasStatus) {
    found.push({ name: 'status', verbs: subresourceVerbs, group, version: version.name, kind: names.kind })
  }
  if (version.scale !== undefined) {
    found.push({
      name: 'scale',
      verbs: subresourceVerbs,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      scale: version.scale,
    })
  }
  return found
}
