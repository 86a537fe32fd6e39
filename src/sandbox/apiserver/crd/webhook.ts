/** Sends a review to a webhook, wherever its client configuration says it is. */
import type { Json, JsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { objectAt } from '../defaults/fill.ts'

const timeoutMilliseconds = 30_000

function addressOf(config: JsonObject): URL {
  if (typeof config['url'] === 'string') return new URL(config['url'])
  const { name, namespace, path = '/', port = 443 } = objectAt(config, 'service')
  return new URL(String(path), `https://${String(name)}.${String(namespace)}.svc:${String(port)}`)
}

export async function postReview(runtime: Runtime, config: JsonObject, review: JsonObject): Promise<Json> {
  const address = addressOf(config)
  const ca = typeof config['caBundle'] === 'string' ? { ca: atob(config['caBundle']) } : {}
  const late = new AbortController()
  const timer = runtime.clock.after(timeoutMilliseconds, () => late.abort(new Error('context deadline exceeded')))
  try {
    const response = await runtime.http.request(
      { origin: address.origin, tls: { ...ca, serverName: address.hostname } },
      {
        method: 'POST',
        target: `${address.pathname}${address.search}`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: new TextEncoder().encode(JSON.stringify(review)),
        signal: late.signal,
      },
    )
    const text = await textOf(response.body)
    if (response.status !== 200) throw new Error(`the server answered ${response.status}: ${text}`)
    return JSON.parse(text) as Json
  } finally {
    timer.cancel()
  }
}

async function textOf(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  if (body instanceof Uint8Array) return decoder.decode(body)
  let text = ''
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}
