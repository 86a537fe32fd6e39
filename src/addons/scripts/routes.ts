/** HTTP routes of script hooks: the metrics of hooks, and the tasks in the queues. */
import type { HttpHandler, HttpResponse } from '../../runtime/index.ts'

export interface ShownState {
  hookMetrics(): string
  queues(): string
}

const encoder = new TextEncoder()

export function scriptRoutes(state: ShownState): ReadonlyMap<string, HttpHandler> {
  return new Map<string, HttpHandler>([
    ['/metrics/hooks', async () => text(state.hookMetrics(), 'text/plain; version=0.0.4; charset=utf-8')],
    ['/queue', async () => text(state.queues(), 'text/plain; charset=utf-8')],
  ])
}

function text(body: string, type: string): HttpResponse {
  return { status: 200, headers: { 'content-type': type }, body: encoder.encode(body) }
}
