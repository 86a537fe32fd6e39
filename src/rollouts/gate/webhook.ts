/**
 * The gate as an admission webhook, for API servers without admission policies: at `/` it changes writes, at `/validate` it takes the second
 * look. It answers from the request alone, so that it never waits for anything.
 */
import { type HttpHandler, type HttpResponse, toBase64 } from '../../runtime/index.ts'
import type { Workload } from '../policy/workload.ts'
import { gatePatch, isTemplateChanged, type Review } from './gate.ts'
import { heldWarning, refusal } from './validation.ts'

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
    const asked: Review = { object, old: oldObject ?? undefined, byEngine: userInfo.username === engine }
    const isSecondLook = (request.target.split('?')[0] ?? '') === '/validate'
    const response = { uid, ...(isSecondLook ? judged(asked) : changed(asked)) }
    return answer(200, { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response })
  }
}

function changed(asked: Review): object {
  const patch = gatePatch(asked)
  if (patch.length === 0) return { allowed: true }
  const { object, old } = asked
  // A changed template is what gates are for; every other change that was pinned deserves a warning.
  const warnings = isTemplateChanged(object, old) ? {} : { warnings: [heldWarning(object, old)] }
  const encoded = toBase64(new TextEncoder().encode(JSON.stringify(patch)))
  return { allowed: true, patchType: 'JSONPatch', patch: encoded, ...warnings }
}

function judged(asked: Review): object {
  const message = refusal(asked)
  if (message === undefined) return { allowed: true }
  return { allowed: false, status: { code: 403, reason: 'Forbidden', message } }
}

function answer(status: number, body: object): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(body)),
  }
}
