/** Admission hooks: their endpoints, and the responses to the API server. */
import { CarabinerError, type JsonObject, type Logger } from '../../../runtime/index.ts'
import type { AdmissionBinding } from '../config/types.ts'
import type { Review } from '../engine/reviews.ts'
import type { Hook } from '../hook.ts'
import type { RunResult } from '../run/types.ts'
import { type AdmissionAnswer, admissionAnswer } from './answers.ts'
import type { ReviewRequest } from './exchange.ts'

export interface AdmissionEndpoint {
  readonly hook: Hook
  readonly binding: AdmissionBinding
  readonly type: 'Validating' | 'Mutating'
  readonly path: string
}

export type AskHook = (hook: Hook, review: Review) => Promise<RunResult>

/** Time reserved for sending the response. */
const responseTimeMs = 500

/** The admission bindings of all hooks. Names must be unique, because the API server identifies webhooks by name. */
export function admissionEndpoints(hooks: readonly Hook[]): readonly AdmissionEndpoint[] {
  const endpoints = new Map<string, AdmissionEndpoint>()
  const add = (hook: Hook, type: AdmissionEndpoint['type'], binding: AdmissionBinding) => {
    const path = `/hooks/${type.toLowerCase()}-${binding.name}`
    const other = endpoints.get(path)
    if (other !== undefined) throw taken(type, binding.name, hook, other.hook)
    endpoints.set(path, { hook, binding, type, path })
  }
  for (const hook of hooks) {
    for (const binding of hook.config.validating) add(hook, 'Validating', binding)
    for (const binding of hook.config.mutating) add(hook, 'Mutating', binding)
  }
  return [...endpoints.values()]
}

function taken(type: string, name: string, hook: Hook, other: Hook): CarabinerError {
  const place = hook === other ? `twice in ${hook.name}` : `in ${other.name} and ${hook.name}`
  return new CarabinerError('CRB_HOOK_INVALID', `duplicate kubernetes${type} binding ${name}: ${place}`, {
    remedy: 'Give each binding its own name; the API server identifies webhooks by name.',
  })
}

/** The response of the review without its uid. */
export async function admit(
  { hook, binding, type }: AdmissionEndpoint,
  { apiVersion, kind, request }: ReviewRequest,
  ask: AskHook,
  log: Logger,
): Promise<JsonObject> {
  const result = await ask(hook, {
    binding,
    type,
    members: { review: { apiVersion, kind, request } },
    timeout: binding.timeoutSeconds * 1000 - responseTimeMs,
    isDryRun: request['dryRun'] === true,
  })
  const answer = admissionAnswer(hook.name, result)
  // The API server gets the error in the response; log it for the owner of the hook.
  if (answer.isInvalid === true)
    log.error('hook gave an invalid answer', {
      hook: hook.name,
      binding: binding.name,
      event: type,
      error: answer.message,
    })
  return responseOf(answer, type)
}

function responseOf({ allowed, message, warnings, patch }: AdmissionAnswer, type: string): JsonObject {
  const warned = warnings.length === 0 ? {} : { warnings }
  if (!allowed) return { allowed, status: { code: 403, reason: 'Forbidden', message: message ?? 'denied' }, ...warned }
  const changed = patch === undefined || type !== 'Mutating' ? {} : { patchType: 'JSONPatch', patch }
  return { allowed, ...changed, ...warned }
}
