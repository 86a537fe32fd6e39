/** How API servers reach a webhook server: through a Service, or at the address of this process. */

export interface ServingService {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Part of the `clientConfig` of webhook registrations, without a path. */
export type ReachedBy = { readonly url: string } | { readonly service: ServingService }

/** The `clientConfig` for a path of the server. */
export function clientConfig(
  reached: ReachedBy,
  path: string,
): { readonly url: string } | { readonly service: ServingService & { readonly path: string } } {
  return 'url' in reached ? { url: new URL(path, reached.url).href } : { service: { ...reached.service, path } }
}

/** The DNS names of a Service. */
export function serviceNames({ name, namespace }: Pick<ServingService, 'name' | 'namespace'>): readonly string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]
}

export function urlOf(host: string, port: number): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}/`
}
