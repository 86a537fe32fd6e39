/** Puts a client together from a transport: rate limit, warnings, discovery and the handles of resource types. */
import type { Runtime } from '../../runtime/index.ts'
import { createDiscovery } from '../discovery/discovery.ts'
import { resources } from '../kinds/index.ts'
import type { KubeObject, ResourceType } from '../object.ts'
import type { Transport } from '../transport/transport.ts'
import { decode } from './answer.ts'
import type { KubeClient } from './client.ts'
import { requestMetrics } from './metrics.ts'
import { objectPath, withQuery } from './paths.ts'
import { type RateLimit, RateLimiter, unlimited } from './ratelimit.ts'
import { createRequester, type Requester } from './requester.ts'
import { createResourceClient } from './resource.ts'

export interface ClientOptions {
  readonly transport: Transport
  readonly runtime: Pick<Runtime, 'clock' | 'log' | 'metrics'>
  /** Shared by all surfaces of the client. @default no limit */
  readonly rateLimit?: RateLimit
  /** @default carabiner */
  readonly userAgent?: string
  /** Called with the `Warning` headers of the server, for example that a version is deprecated. @default logged once per text */
  readonly onWarning?: (text: string) => void
}

export function createClient(options: ClientOptions): KubeClient {
  const { transport, runtime, rateLimit } = options
  const limiter = rateLimit === undefined ? undefined : new RateLimiter(runtime.clock, rateLimit)
  const warn = options.onWarning ?? logOnce(runtime)
  const headers = { 'user-agent': options.userAgent ?? 'carabiner' }
  const yieldToOthers = () => runtime.clock.sleep(0)
  const metrics = requestMetrics(runtime.metrics, runtime.clock)
  const requesterOf = (surface: string) =>
    createRequester({ transport, headers, warn, yieldToOthers, metrics, turn: limiter?.turnOf(surface) ?? unlimited })
  const discovery = createDiscovery(requesterOf('discovery'))

  function clientOn(requester: Requester): KubeClient {
    const of = <T extends KubeObject>(type: ResourceType) => createResourceClient<T>(requester, type)
    return {
      of,
      discovery,
      surface: (name) => clientOn(requesterOf(name)),

      find: async <T extends KubeObject>(apiVersion: string, kind: string) =>
        of<T>(await discovery.find(apiVersion, kind)),

      async *logs(pod, { signal, ...query } = {}) {
        const target = withQuery(objectPath(resources.pods, pod.namespace, pod.name, 'log'), query)
        // Not a JSON path: the server answers 406 to a client that accepts nothing but JSON.
        const answer = await requester.stream({ method: 'GET', target, accept: '*/*', signal })
        yield* answer.body
      },

      async raw(method, path, body, signal) {
        const call = { method, target: path, body, signal, accept: 'application/json, */*' }
        const answer = await requester.whole(call)
        const isJson = answer.headers['content-type']?.includes('json') ?? false
        return isJson ? decode(answer.body, call) : new TextDecoder().decode(answer.body)
      },
    }
  }

  return clientOn(requesterOf(''))
}

const maxLoggedWarnings = 1_000

function logOnce({ log }: Pick<Runtime, 'log'>): (text: string) => void {
  const seen = new Set<string>()
  return (text) => {
    // A server can send ever different texts.
    if (seen.has(text) || seen.size >= maxLoggedWarnings) return
    seen.add(text)
    log.warn('warning of the API server', { warning: text })
  }
}
