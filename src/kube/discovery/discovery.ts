/**
 * Caches what the cluster serves. A lookup that finds nothing fetches again, because a CustomResourceDefinition may have been created since;
 * concurrent lookups share one request.
 */
import type { Requester } from '../client/requester.ts'
import { ResourceNotServed } from '../errors.ts'
import type { Catalog, DiscoveredResource } from './catalog.ts'
import { fetchCatalog } from './fetch.ts'
import { lookUp } from './lookup.ts'

export interface Discovery {
  /** Everything served. */
  catalog(): Promise<Catalog>
  /** By kind; rejects with `ResourceNotServed`. */
  find(apiVersion: string, kind: string): Promise<DiscoveredResource>
  /** By the names kubectl accepts: `deploy`, `deployments.apps`, `deployments.v1.apps`, `Deployment`; rejects with `ResourceNotServed`. */
  resolve(name: string): Promise<DiscoveredResource>
  /** Drops the cache, for example after a CustomResourceDefinition was applied. */
  refresh(): void
}

export function createDiscovery(requester: Requester): Discovery {
  let known: Promise<Catalog> | undefined

  function catalog(): Promise<Catalog> {
    if (known === undefined) {
      const pending = fetchCatalog(requester)
      known = pending
      pending.catch(() => forget(pending))
    }
    return known
  }

  function forget(stale: Promise<Catalog>): void {
    if (known === stale) known = undefined
  }

  async function search(
    what: string,
    pick: (catalog: Catalog) => DiscoveredResource | undefined,
  ): Promise<DiscoveredResource> {
    const kept = known
    const found = pick(await catalog())
    if (found !== undefined) return found
    if (kept !== undefined) {
      forget(kept)
      const second = pick(await catalog())
      if (second !== undefined) return second
    }
    throw new ResourceNotServed(what)
  }

  return {
    catalog,
    find(apiVersion, kind) {
      const [version = '', group = ''] = apiVersion.split('/').reverse()
      return search(`${kind} in ${apiVersion}`, (all) =>
        all.find((one) => one.kind === kind && one.version === version && one.group === group),
      )
    },
    resolve: (name) => search(name, (all) => lookUp(all, name)),
    refresh() {
      known = undefined
    },
  }
}
