/** How API servers reach a server of ours: through a Service, or at the address of this process. */

export interface ServingService {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** As registrations of webhooks have it, for all paths. */
export type ReachedBy = { readonly url: string } | { readonly service: ServingService }

/** For a path of the server. */
export function clientConfig(
  reached: ReachedBy,
  path: string,
): { readonly url: string } | { readonly service: ServingService & { readonly path: string } } {
  return 'url' in reached ? { url: new URL(path, reached.url).href } : { service: { ...reached.service, path } }
}

/** What a Service is called by whoever connects. */
export function serviceNames({ name, namespace }: Pick<ServingService, 'name' | 'namespace'>): readonly string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]
}

export function urlOf(host: string, port: number): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}/`
}
