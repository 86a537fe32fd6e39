/**
 * The server side of the bench, in a process of its own: lists with or without pages, watches, and on request a burst of events. Prints its
 * port.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { podCount, podText } from './pods.ts'

const pods = Array.from({ length: podCount }, (_, index) => podText(index))
const watches = new Set<ServerResponse>()
let version = 100_000

function textOf(index: number, at: number): string {
  const pod = pods[index % pods.length]
  return pod === undefined ? '' : `${pod.before}${at}${pod.after}`
}

async function list(response: ServerResponse, query: URLSearchParams): Promise<void> {
  const start = Number(query.get('continue') ?? 0)
  const end = Math.min(pods.length, start + Number(query.get('limit') ?? pods.length))
  const metadata = { resourceVersion: String(version), ...(end < pods.length ? { continue: String(end) } : {}) }
  response.setHeader('content-type', 'application/json')
  response.write(`{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`)
  for (let index = start; index < end; index++) {
    if (!response.write(`${index === start ? '' : ','}${textOf(index, 1000 + index)}`)) await once(response, 'drain')
  }
  response.end(']}')
}

async function storm(count: number): Promise<void> {
  while (watches.size === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  for (let index = 0; index < count; index++) {
    version += 1
    const line = `{"type":"MODIFIED","object":${textOf(index * 7, version)}}\n`
    for (const watch of watches) if (!watch.write(line)) await once(watch, 'drain')
  }
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname === '/storm') {
    response.end('started')
    void storm(Number(url.searchParams.get('events')))
  } else if (url.searchParams.get('watch')) {
    response.setHeader('content-type', 'application/json')
    response.flushHeaders()
    watches.add(response)
    response.on('close', () => watches.delete(response))
  } else void list(response, url.searchParams)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
