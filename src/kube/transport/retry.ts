/**
 * Repeats unary requests that may succeed a moment later. What is repeated depends on what a repeat can do harm: the server's own "come
 * back later" for every request, a broken connection or a gateway's error only where doing it twice is the same as once. Streams are
 * never repeated; the reflector resumes them.
 */
import { CarabinerError } from '../../runtime/errors.ts'
import type { HttpRequest, HttpResponse } from '../../runtime/http.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { retryAfter } from '../client/answer.ts'
import type { Receive, Transport } from './transport.ts'

/** In all; with the waits between them they span about three seconds, longer when the server says how long to wait. */
const attempts = 6
const firstWait = 100
const longestWait = 5_000
/** A server that wants a longer pause gets it from whoever asked, who knows whether waiting makes sense. */
const longestRetryAfter = 30

export function retrying(transport: Transport, { clock, random }: Pick<Runtime, 'clock' | 'random'>): Transport {
  async function attempt(
    request: HttpRequest,
    receive: Receive | undefined,
    left: number,
  ): Promise<Awaited<ReturnType<Transport['send']>>> {
    let told: number | undefined
    try {
      const answer = await transport.send(request, receive)
      if (left === 1 || !mayRepeat(request, answer)) return answer
      told = retryAfter(answer)
      if (told !== undefined && told > longestRetryAfter) return answer
    } catch (error) {
      if (left === 1 || !isBroken(error) || !isIdempotent(request)) throw error
    }
    const wait = random.next() * Math.min(longestWait, firstWait * 2 ** (attempts - left))
    // A little over what was told, so that everyone who was told the same does not come back at the same moment.
    await clock.sleep((told ?? 0) * 1000 + wait, request.signal)
    return attempt(request, receive, left - 1)
  }

  return {
    send: (request, receive) => attempt(request, receive, attempts),
    open: (request) => transport.open(request),
    close: () => transport.close(),
  }
}

function mayRepeat(request: HttpRequest, answer: HttpResponse): boolean {
  switch (answer.status) {
    case 429:
      // An eviction is refused this way when a disruption budget forbids it, which no short wait changes.
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

/** An applied configuration is as idempotent as a PUT; other patches need not be. */
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
