/**
 * Evicts a pod: a delete that a PodDisruptionBudget can refuse. The disruption controller maintains the budget; this
 * code only decrements disruptionsAllowed.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { deleteObject } from '../deletion/delete.ts'
import { type DeleteOptions, deleteOptionsIn } from '../deletion/options.ts'
import { type ApiObject, at, withField } from '../object.ts'
import { readObject } from '../rest/body.ts'
import { withRequestNamespace } from '../rest/create.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import { collectionOf, keyOf, type ResourceRequest } from '../rest/request.ts'
import { updateObject } from '../rest/update.ts'
import { writeOptionsOf } from '../rest/write-options.ts'
import { matchesLabels, requirementsOf } from '../selectors/labels.ts'
import { badRequest, forbidden, notFound, StatusError } from '../status/status-error.ts'
import { timestamp } from '../timestamp.ts'
import { admitSubresource } from './admit-subresource.ts'

const budgets = { group: 'policy', resource: 'poddisruptionbudgets' }

export async function evict(request: ResourceRequest): Promise<HandlerResult> {
  const { info } = request
  const body = readObject(request.http.body, request.http.headers['content-type'], 'Eviction')
  if (at(body, 'metadata', 'name') !== info.name) throw badRequest('name in URL does not match name in Eviction object')
  const eviction = { ...body, kind: 'Eviction', apiVersion: 'policy/v1' } as JsonObject as ApiObject
  const create = writeOptionsOf(request.query, 'CreateOptions')
  const accepted = await admitSubresource(request, {
    operation: 'CREATE',
    object: withRequestNamespace(request, eviction),
    options: create,
  })
  const given = at(accepted, 'deleteOptions')
  const options = deleteOptionsIn(isJsonObject(given) ? given : {}, request.dryRun)
  const pod = collectionOf(request).get(keyOf(request.resource, info.namespace, info.name))?.object
  if (pod === undefined) throw notFound(request.resource, info.name)
  const version = ignoresBudgets(pod) ? undefined : decrementBudget(request, pod, options)
  await removePod(request, withVersion(options, version))
  return {
    kind: 'document',
    code: 201,
    document: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  }
}

function ignoresBudgets(pod: ApiObject): boolean {
  const phase = at(pod, 'status', 'phase')
  return (
    phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined
  )
}

/** Decrements the pod's budget; when the budget is not touched, returns the resourceVersion the pod must still have. */
function decrementBudget(request: ResourceRequest, pod: ApiObject, options: DeleteOptions): string | undefined {
  const collection = request.parts.store.collection(budgets)
  const found = [...collection.range(`${pod.metadata.namespace ?? ''}/`)].filter(([, { object }]) =>
    selects(object, pod),
  )
  if (found.length > 1) {
    throw new StatusError(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const [budget] = found
  if (budget === undefined) return undefined
  const [key, { object }] = budget
  if (!isReady(pod) && canEvictUnready(object)) return pod.metadata.resourceVersion
  const next = decremented(object, pod.metadata.name, timestamp(request.parts.runtime.clock.now()))
  if (!options.dryRun) collection.put(key, next)
  return undefined
}

function selects(budget: ApiObject, pod: ApiObject): boolean {
  const selector = at(budget, 'spec', 'selector')
  return isJsonObject(selector) && matchesLabels(requirementsOf(selector), pod.metadata.labels)
}

function isReady(pod: ApiObject): boolean {
  const conditions = at(pod, 'status', 'conditions')
  if (!Array.isArray(conditions)) return false
  return (conditions as readonly Json[]).some(
    (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
  )
}

function canEvictUnready(budget: ApiObject): boolean {
  if (at(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true
  const desired = numberAt(budget, 'desiredHealthy')
  return numberAt(budget, 'currentHealthy') >= desired && desired > 0
}

function numberAt(budget: ApiObject, field: string): number {
  const value = at(budget, 'status', field)
  return typeof value === 'number' ? value : 0
}

function decremented(budget: ApiObject, pod: string, now: string): ApiObject {
  const { name, generation } = budget.metadata
  if (numberAt(budget, 'observedGeneration') < (generation ?? 0)) {
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  const allowed = numberAt(budget, 'disruptionsAllowed')
  if (allowed < 0) {
    throw forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, 'pdb disruptions allowed is negative')
  }
  if (allowed === 0) throw tooManyRequests(refusalMessage(budget), 0)
  const status = at(budget, 'status')
  const conditions = allowed === 1 ? { conditions: withExhausted(at(status, 'conditions'), generation ?? 0, now) } : {}
  const disrupted = at(status, 'disruptedPods')
  return withField(budget, 'status', {
    ...(isJsonObject(status) ? status : {}),
    ...conditions,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...(isJsonObject(disrupted) ? disrupted : {}), [pod]: now },
  })
}

function withExhausted(conditions: Json | undefined, observedGeneration: number, now: string): readonly Json[] {
  const type = 'DisruptionAllowed'
  const others = Array.isArray(conditions)
    ? (conditions as readonly Json[]).filter((condition) => at(condition, 'type') !== type)
    : []
  const reason = 'InsufficientPods'
  return [...others, { type, status: 'False', observedGeneration, lastTransitionTime: now, reason, message: '' }]
}

function refusalMessage(budget: ApiObject): string {
  const { name } = budget.metadata
  const current = numberAt(budget, 'currentHealthy')
  const desired = numberAt(budget, 'desiredHealthy')
  if (current <= desired) {
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`
  }
  return `The disruption budget ${name} does not allow evicting pods currently`
}

function tooManyRequests(why: string, retryAfterSeconds: number): StatusError {
  return new StatusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  })
}

function withVersion(options: DeleteOptions, resourceVersion: string | undefined): DeleteOptions {
  if (resourceVersion === undefined || options.preconditions.resourceVersion !== undefined) return options
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } }
}

async function removePod(request: ResourceRequest, options: DeleteOptions): Promise<void> {
  const { info, parts } = request
  let wanted = options
  if (!options.dryRun) {
    const result = await updateObject(request, {
      raw: true,
      options: {},
      wanted: (pod) => disrupted(pod, timestamp(parts.runtime.clock.now())),
    })
    const { resourceVersion } = options.preconditions
    if (resourceVersion !== undefined && result.kind === 'object') {
      const now = result.object.metadata.resourceVersion
      wanted = { ...options, preconditions: { ...options.preconditions, resourceVersion: now } }
    }
  }
  await deleteObject(request, info, wanted, { isAdmitted: true })
}

function disrupted(pod: ApiObject, now: string): ApiObject {
  const status = at(pod, 'status')
  const present = at(status, 'conditions')
  const conditions = (Array.isArray(present) ? present : []) as readonly JsonObject[]
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  const others = conditions.filter(({ type }) => type !== 'DisruptionTarget')
  return withField(pod, 'status', { ...(isJsonObject(status) ? status : {}), conditions: [...others, condition] })
}
