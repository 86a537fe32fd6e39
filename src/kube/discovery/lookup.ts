/** Finds a resource by the names kubectl accepts, with kubectl's precedence. */
import type { Catalog, DiscoveredResource } from './catalog.ts'

/** `name`, `name.group` or `name.version.group`; the name is a plural, singular, short name or kind. */
export function lookUp(catalog: Catalog, text: string): DiscoveredResource | undefined {
  const [name = '', ...rest] = text.split('.')
  const scope = rest.join('.')
  const [first = '', ...group] = rest
  return (
    named(catalog, name, (one) => rest.length === 0 || one.group === scope) ??
    named(catalog, name, (one) => one.version === first && one.group === group.join('.'))
  )
}

function named(
  catalog: Catalog,
  name: string,
  inScope: (one: DiscoveredResource) => boolean,
): DiscoveredResource | undefined {
  const lower = name.toLowerCase()
  const candidates = catalog.filter(inScope)
  return (
    candidates.find((one) => one.resource === lower) ??
    candidates.find((one) => one.singular === lower || one.kind.toLowerCase() === lower) ??
    candidates.find((one) => one.shortNames.includes(lower))
  )
}
