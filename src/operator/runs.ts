/** `GET /runs`: the runs in the operator's memory as JSON, for callers on the same machine. */
import type { RunMemory } from '../hooks/index.ts'
import type { HttpHandler } from '../runtime/index.ts'

export function runsHandler(runs: RunMemory): HttpHandler {
  return async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') return answer(405, { message: `${method} is not allowed here` })
    return answer(200, { runs: runs.list() })
  }
}

function answer(status: number, body: object) {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(`${JSON.stringify(body)}\n`),
  }
}
