/** /healthz, /livez and /readyz: always healthy while this process responds. */
import type { HttpResponse } from '../../../runtime/index.ts'

const checks = ['ping', 'log', 'storage', 'informer-sync', 'shutdown']
const encoder = new TextEncoder()

export function health(path: string, query: URLSearchParams): HttpResponse | undefined {
  const [, endpoint = '', check] = /^\/(healthz|livez|readyz)(?:\/([a-z-]+))?$/.exec(path) ?? []
  if (endpoint === '') return undefined
  if (check !== undefined) return checks.includes(check) ? plain('ok') : undefined
  if (!query.has('verbose')) return plain('ok')
  const excluded = new Set(query.getAll('exclude'))
  const lines = checks.map((name) => (excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`))
  return plain(`${lines.join('\n')}\n${endpoint} check passed\n`)
}

function plain(text: string): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: encoder.encode(text),
  }
}
