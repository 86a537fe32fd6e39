/** The HTTP endpoint of the kubelet, as far as the API server needs it for `kubectl logs`. */
import type { HttpHandler, HttpListener, HttpResponse, Runtime, TlsServerOptions } from '../../runtime/index.ts'
import type { LogQuery } from './engine.ts'

export interface EndpointOptions {
  /** The address to listen on; loopback unless other machines need the logs. */
  readonly host: string
  /** With a `clientCa`, clients must present a certificate of that CA. */
  readonly tls: TlsServerOptions
}

type Logs = (namespace: string, pod: string, query: LogQuery) => AsyncIterable<Uint8Array> | undefined

function text(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/plain' }, body: new TextEncoder().encode(body) }
}

function numberOf(query: URLSearchParams, name: string): Record<string, number> {
  const value = query.get(name)
  return value === null ? {} : { [name]: Number(value) }
}

export function logHandler(logs: Logs, needsCertificate: boolean): HttpHandler {
  return async (request) => {
    const url = new URL(request.target, 'https://node')
    if (url.pathname === '/healthz') return text(200, 'ok')
    if (needsCertificate && request.peer?.certificate === undefined) return text(401, 'Unauthorized')
    const [, kind, namespace = '', pod = '', container = ''] = url.pathname.split('/').map(decodeURIComponent)
    if (kind !== 'containerLogs') return text(404, '404 page not found')
    const { searchParams: query } = url
    const since = query.get('sinceTime')
    const body = logs(namespace, pod, {
      container,
      follow: query.get('follow') === 'true',
      previous: query.get('previous') === 'true',
      timestamps: query.get('timestamps') === 'true',
      ...numberOf(query, 'tailLines'),
      ...numberOf(query, 'limitBytes'),
      ...numberOf(query, 'sinceSeconds'),
      ...(since === null ? {} : { sinceTime: since }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    })
    if (body === undefined)
      return text(404, `container "${container}" of pod ${namespace}/${pod} has no log on this node`)
    return { status: 200, headers: { 'content-type': 'text/plain' }, body }
  }
}

export function openEndpoint(runtime: Runtime, { host, tls }: EndpointOptions, logs: Logs): Promise<HttpListener> {
  return runtime.http.listen({ host, port: 0, tls }, logHandler(logs, tls.clientCa !== undefined))
}
