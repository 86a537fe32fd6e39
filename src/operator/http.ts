/**
 * The operator's HTTP server: liveness, readiness and metrics. A surface can answer requests below `/<surface>/` and at paths it
 * registers.
 */
import type { HttpHandler, HttpRequest, HttpResponse, Metrics } from '../runtime/index.ts'

export interface HealthSource {
  /** What readiness waits for, or undefined when the operator is ready. */
  waitingFor(): string | undefined
}

const encoder = new TextEncoder()

export interface OperatorHandlerOptions {
  readonly health: HealthSource
  readonly metrics: Metrics
  /** Handlers by the name of the surface: for requests below `/<surface>/`. */
  readonly surfaces: ReadonlyMap<string, HttpHandler>
  /** Handlers by whole path. */
  readonly routes: ReadonlyMap<string, HttpHandler>
  /** Additional lines for `/metrics`. */
  moreMetrics(): string
}

export function operatorHandler({
  health,
  metrics,
  surfaces,
  routes,
  moreMetrics,
}: OperatorHandlerOptions): HttpHandler {
  const paths = ['/discovery', '/healthz', '/metrics', '/readyz', ...routes.keys()].sort()
  return async (request) => {
    const path = request.target.split('?')[0] ?? '/'
    const surface = surfaces.get(path.split('/')[1] ?? '')
    if (surface !== undefined) {
      if (!isLocal(request)) return text(403, 'this path is served to callers on the same machine only\n')
      return surface(request)
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return text(405, `${request.method} is not allowed here\n`)
    const route = routes.get(path)
    if (route !== undefined) return route(request)
    switch (path) {
      case '/healthz':
        return text(200, 'ok\n')
      case '/readyz': {
        const waiting = health.waitingFor()
        return waiting === undefined ? text(200, 'ok\n') : text(503, `waiting for ${waiting}\n`)
      }
      case '/metrics':
        return text(200, `${await metrics.render()}${moreMetrics()}`, 'text/plain; version=0.0.4; charset=utf-8')
      case '/':
      case '/discovery':
        return text(200, paths.map((one) => `GET ${one}\n`).join(''))
      default:
        return text(404, `not found; try ${paths.join(', ')}\n`)
    }
  }
}

/** In a pod, health and metrics are reachable from the network; the state and the commands of surfaces are for local callers only. */
function isLocal({ peer }: HttpRequest): boolean {
  return peer === undefined || /^(::1|(::ffff:)?127\.[0-9.]+)$/.test(peer.address)
}

function text(status: number, body: string, type = 'text/plain; charset=utf-8'): HttpResponse {
  return { status, headers: { 'content-type': type }, body: encoder.encode(body) }
}
