/** The built-in resources, ready to be served. */
import type { ServedResource } from '../resource.ts'
import { type CatalogueEntry, catalogue } from './catalogue.ts'
import { builtinStrategy } from './strategy.ts'

export function builtinResources(): readonly ServedResource[] {
  return catalogue.map(served)
}

function served(entry: CatalogueEntry): ServedResource {
  const { generation: _counted, ...facts } = entry
  return { ...facts, listKind: `${entry.kind}List`, strategy: builtinStrategy(entry) }
}
