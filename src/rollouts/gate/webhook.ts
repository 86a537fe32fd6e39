/**
 * The gate as an admission webhook, for API servers without admission policies. It answers from the request alone, so that it never
 * waits for anything.
 */
import { toBase64 } from '../../runtime/base64.ts'
import type { HttpHandler, HttpResponse } from '../../runtime/http.ts'
import type { Workload } from '../policy/workload.ts'
import { gatePatch } from './gate.ts'

interface AdmissionRequest {
  readonly uid: string
  readonly object: Workload
  readonly oldObject: Workload | null
  readonly userInfo: { readonly username: string }
}

/** `engine` is the user name the engine itself has. */
export function gateWebhook(engine: string): HttpHandler {
  return async (request) => {
    if (request.method !== 'POST' || request.body === undefined)
      return answer(405, { message: 'send an AdmissionReview' })
    let review: { readonly request?: AdmissionRequest }
    try {
      review = JSON.parse(new TextDecoder().decode(request.body)) as typeof review
    } catch {
      return answer(400, { message: 'the body is not JSON' })
    }
    if (review.request === undefined) return answer(400, { message: 'the review has no request' })
    const { uid, object, oldObject, userInfo } = review.request
    const patch = gatePatch({ object, old: oldObject ?? undefined, byEngine: userInfo.username === engine })
    const changes =
      patch.length === 0
        ? {}
        : { patchType: 'JSONPatch', patch: toBase64(new TextEncoder().encode(JSON.stringify(patch))) }
    return answer(200, {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid, allowed: true, ...changes },
    })
  }
}

function answer(status: number, body: object): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  }
}
