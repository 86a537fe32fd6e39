/**
 * Retries unary requests that may succeed a moment later: every request when the server asks for it with Retry-After, only idempotent ones after
 * a broken connection or a gateway error. Streams are not retried; the reflector resumes them.
 */
import { CarabinerError, type HttpRequest, type HttpResponse, type Runtime } from '../../runtime/index.ts'
import { retryAfter } from '../client/answer.ts'
import type { Receive, Transport } from './transport.ts'

/** They span about three seconds, more with Retry-After. */
const maxAttempts = 6
const firstWaitMs = 100
const maxWaitMs = 5_000
/** With a longer Retry-After the response goes to the caller, which knows whether waiting makes sense. */
const maxRetryAfterSeconds = 30

export function retrying(transport: Transport, { clock, random }: Pick<Runtime, 'clock' | 'random'>): Transport {
  async function attempt(
    request: HttpRequest,
    receive: Receive | undefined,
    left: number,
  ): Promise<Awaited<ReturnType<Transport['send']>>> {
    let retryAfterSeconds: number | undefined
    try {
      const answer = await transport.send(request, receive)
      if (left === 1 || !mayRetry(request, answer)) return answer
      retryAfterSeconds = retryAfter(answer)
      if (retryAfterSeconds !== undefined && retryAfterSeconds > maxRetryAfterSeconds) return answer
    } catch (error) {
      if (left === 1 || !isBroken(error) || !isIdempotent(request)) throw error
    }
    const wait = random.next() * Math.min(maxWaitMs, firstWaitMs * 2 ** (maxAttempts - left))
    // Jitter on top of Retry-After, so that clients with the same value do not return at the same time.
    await clock.sleep((retryAfterSeconds ?? 0) * 1000 + wait, request.signal)
    return attempt(request, receive, left - 1)
  }

  return {
    send: (request, receive) => attempt(request, receive, maxAttempts),
    open: (request) => transport.open(request),
    close: () => transport.close(),
  }
}

function mayRetry(request: HttpRequest, answer: HttpResponse): boolean {
  switch (answer.status) {
    case 429:
      // A PodDisruptionBudget refuses an eviction with 429 without Retry-After, and a short wait does not change that.
      return retryAfter(answer) !== undefined || !/\/eviction(\?|$)/.test(request.target)
    case 500:
      return isRead(request)
    case 502:
    case 503:
    case 504:
      return isIdempotent(request) || retryAfter(answer) !== undefined
    default:
      return false
  }
}

function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Server-side apply is as idempotent as a PUT; other patches may not be. */
function isIdempotent(request: HttpRequest): boolean {
  return (
    isRead(request) ||
    request.method === 'PUT' ||
    request.method === 'DELETE' ||
    request.headers['content-type'] === 'application/apply-patch+yaml'
  )
}

function isBroken(error: unknown): boolean {
  return error instanceof CarabinerError && error.code === 'CRB_CONNECTION_BROKEN'
}
