/** The HTTP side of reviews: client authentication, parsing of requests and responses. */
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  isJsonObject,
  type JsonObject,
} from '../../../runtime/index.ts'

/** Answers the review at `path`; undefined when no hook is registered there. */
export type Reviewer = (path: string, review: ReviewRequest) => Promise<JsonObject> | undefined

export interface ReviewRequest {
  readonly apiVersion: string
  readonly kind: string
  readonly request: JsonObject & { readonly uid: string }
}

/** `clients`: `certificate` accepts only clients with a verified certificate. */
export function reviewHandler(
  reviewer: Reviewer,
  { clients }: { readonly clients: 'any' | 'certificate' },
): HttpHandler {
  return async (request) => {
    const path = request.target.split('?')[0] ?? ''
    if (path === '/healthz') return answer(200, { status: 'ok' })
    if (clients === 'certificate' && request.peer?.certificate === undefined)
      return answer(401, { message: 'a client certificate is required' })
    if (request.method !== 'POST') return answer(405, { message: 'use POST with a review' })
    const review = reviewOf(request)
    if (review === undefined) return answer(400, { message: 'the body is not a review with a request' })
    const answered = reviewer(decodeURIComponent(path), review)
    if (answered === undefined) return answer(404, { message: `no hook is registered at ${path}` })
    const { apiVersion, kind } = review
    return answer(200, { apiVersion, kind, response: { uid: review.request.uid, ...(await answered) } })
  }
}

function reviewOf({ body }: HttpRequest): ReviewRequest | undefined {
  try {
    const review: unknown = JSON.parse(new TextDecoder().decode(body))
    if (!isJsonObject(review)) return undefined
    const { request } = review
    return isJsonObject(request) && typeof request['uid'] === 'string'
      ? (review as JsonObject & ReviewRequest)
      : undefined
  } catch {
    return undefined
  }
}

function answer(status: number, body: JsonObject): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  }
}
