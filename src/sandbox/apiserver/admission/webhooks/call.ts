/** Calls one admission or conversion webhook: resolves its endpoint, applies the timeout, reads the response. */
import { type HttpEndpoint, isJsonObject, type Json, type JsonObject, type Runtime } from '../../../../runtime/index.ts'
import { at } from '../../object.ts'
import type { Webhook } from './webhook.ts'

/** Resolves a Service of the cluster to an endpoint that this process can reach. */
export type ResolveService = (service: {
  readonly namespace: string
  readonly name: string
  readonly port: number
}) => Promise<HttpEndpoint | undefined> | HttpEndpoint | undefined

/** Sends the review and returns the JSON of the response; throws with the reason when there is no usable response. */
export async function callWebhook(
  webhook: Pick<Webhook, 'clientConfig' | 'timeoutSeconds'>,
  review: JsonObject,
  runtime: Runtime,
  resolveService: ResolveService | undefined,
): Promise<Json> {
  const { endpoint, target, shown } = await webhookUrl(webhook.clientConfig, resolveService)
  const abort = new AbortController()
  const timer = runtime.clock.after(webhook.timeoutSeconds * 1000, () =>
    abort.abort(new Error('context deadline exceeded')),
  )
  const path = `${target}${target.includes('?') ? '&' : '?'}timeout=${webhook.timeoutSeconds}s`
  try {
    const call = runtime.http.request(endpoint, {
      method: 'POST',
      target: path,
      headers: { 'content-type': 'application/json', accept: 'application/json, */*' },
      body: new TextEncoder().encode(JSON.stringify(review)),
      signal: abort.signal,
    })
    const response = await Promise.race([call, aborted(abort.signal)])
    const body = new TextDecoder().decode(await Promise.race([readBody(response.body), aborted(abort.signal)]))
    if (response.status >= 400) throw new ErrorStatus(errorStatusText(response.status, body))
    return JSON.parse(body) as Json
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const where = error instanceof ErrorStatus ? '' : `Post "${shown}?timeout=${webhook.timeoutSeconds}s": `
    throw new Error(`failed to call webhook: ${where}${why}`, { cause: error })
  } finally {
    timer.cancel()
  }
}

/** The webhook responded with an HTTP error status. */
class ErrorStatus extends Error {}

function errorStatusText(status: number, body: string): string {
  if (status >= 500) return `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`
  if (status === 404) return 'the server could not find the requested resource'
  return `the server responded with the status code ${status} but did not return more information`
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

async function webhookUrl(
  clientConfig: JsonObject,
  resolveService: ResolveService | undefined,
): Promise<{ readonly endpoint: HttpEndpoint; readonly target: string; readonly shown: string }> {
  const bundle = clientConfig['caBundle']
  const tls = typeof bundle === 'string' && bundle !== '' ? { tls: { ca: atob(bundle) } } : {}
  if (typeof clientConfig['url'] === 'string') {
    const url = new URL(clientConfig['url'])
    const target = `${url.pathname}${url.search}`
    return { endpoint: { origin: url.origin, ...tls }, target, shown: `${url.origin}${target}` }
  }
  const service = clientConfig['service']
  if (!isJsonObject(service))
    throw new Error('could not get REST client: webhook configuration must have either service or URL')
  const namespace = String(service['namespace'])
  const name = String(service['name'])
  const port = typeof service['port'] === 'number' ? service['port'] : 443
  const path = String(at(service, 'path') ?? '/')
  const shown = `https://${name}.${namespace}.svc:${port}${path}`
  const endpoint = await resolveService?.({ namespace, name, port })
  if (endpoint === undefined) throw new Error(`failed to call webhook: Post "${shown}": service "${name}" not found`)
  const serverName = { serverName: `${name}.${namespace}.svc` }
  const own =
    'tls' in tls && endpoint.origin.startsWith('https:') ? { tls: { ...endpoint.tls, ...tls.tls, ...serverName } } : {}
  return { endpoint: { ...endpoint, ...own }, target: path, shown }
}

async function readBody(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
  }
  const result = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    result.set(chunk, offset)
    offset += chunk.length
  }
  return result
}
