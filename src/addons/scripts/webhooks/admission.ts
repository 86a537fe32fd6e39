/** Hooks that admit objects: where each is asked, and what the API server is told. */
import { CarabinerError } from '../../../runtime/errors.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import type { Logger } from '../../../runtime/log.ts'
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

/** Milliseconds the answer is on its way to whoever waits for it. */
const wayBack = 500

/** Every admission binding of all hooks; a name that two of them share could not be registered. */
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
  const place = hook === other ? `${hook.name} has two` : `${other.name} and ${hook.name} both have one`
  return new CarabinerError('CRB_HOOK_INVALID', `kubernetes${type} bindings are called ${name}: ${place}`, {
    remedy: 'Give each of them a name of its own; the API server knows them by their names.',
  })
}

/** The response of the review, but for its uid. */
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
    timeout: binding.timeoutSeconds * 1000 - wayBack,
    isDryRun: request['dryRun'] === true,
  })
  const answer = admissionAnswer(hook.name, result)
  // Whoever asked is told, and so must be whoever looks after the hook.
  if (answer.isUseless === true)
    log.error('hook gave no answer that can be used', {
      hook: hook.name,
      binding: binding.name,
      event: type,
      error: answer.message,
    })
  return responseOf(answer, type)
}

function responseOf({ allowed, message, warnings, patch }: AdmissionAnswer, type: string): JsonObject {
  const told = warnings.length === 0 ? {} : { warnings }
  if (!allowed) return { allowed, status: { code: 403, reason: 'Forbidden', message: message ?? 'denied' }, ...told }
  const changed = patch === undefined || type !== 'Mutating' ? {} : { patchType: 'JSONPatch', patch }
  return { allowed, ...changed, ...told }
}
