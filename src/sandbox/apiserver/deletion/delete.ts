/** Deletes one object or a collection: plans the deletion, runs admission, then marks or removes the object. */
import type { Attributes } from '../admission/admission.ts'
import { type ApiObject, at, withField, withMetadata } from '../object.ts'
import type { HandlerResult } from '../rest/handler-result.ts'
import { collectionOf, fromStorage, keyOf, type ResourceRequest, toStorage, warn } from '../rest/request.ts'
import { selectionOf } from '../rest/selection.ts'
import { conflict, notFound, StatusError } from '../status/status-error.ts'
import type { Stored } from '../storage/stored.ts'
import { timestamp } from '../timestamp.ts'
import { type DeleteOptions, deleteOptionsOf } from './options.ts'
import { deletionFinalizers, planDeletion } from './plan.ts'

export async function remove(request: ResourceRequest): Promise<HandlerResult> {
  const options = deleteOptionsOf(request)
  warnOfOrphans(request, options)
  const { object, removed } = await deleteObject(request, request.info, options)
  if (removed && request.resource.strategy.returnsDeleted !== true) return successFor(request, object)
  const code = !removed && options.orphanDependents === false ? 202 : 200
  return { kind: 'object', code, object }
}

export async function removeCollection(request: ResourceRequest): Promise<HandlerResult> {
  const { resource, info, parts } = request
  const options = deleteOptionsOf(request)
  warnOfOrphans(request, options)
  const selection = selectionOf(request)
  const prefix = resource.namespaced && info.namespace ? `${info.namespace}/` : ''
  const found: Stored[] = []
  for (const [, stored] of collectionOf(request).range(prefix)) if (selection.matches(stored.object)) found.push(stored)
  const revision = String(parts.store.revision)
  for (const { object } of found) {
    try {
      await deleteObject(request, { namespace: object.metadata.namespace ?? '', name: object.metadata.name }, options)
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error
    }
  }
  const items = await fromStorage(
    resource,
    found.map(({ object }) => object),
  )
  return { kind: 'list', metadata: { resourceVersion: revision }, items }
}

function warnOfOrphans(request: ResourceRequest, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (request.resource.kind !== 'Job' || propagationPolicy !== undefined || orphanDependents !== undefined) return
  warn(
    request,
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  )
}

function successFor({ resource }: ResourceRequest, object: ApiObject): HandlerResult {
  return {
    kind: 'document',
    code: 200,
    document: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: {
        name: object.metadata.name,
        ...(resource.group === '' ? {} : { group: resource.group }),
        kind: resource.resource,
        uid: object.metadata.uid ?? '',
      },
    },
  }
}

interface ObjectName {
  readonly namespace: string
  readonly name: string
}

interface Deleted {
  readonly object: ApiObject
  readonly removed: boolean
}

/** `isAdmitted` means that admission already ran, for an eviction. */
export async function deleteObject(
  request: ResourceRequest,
  { namespace, name }: ObjectName,
  options: DeleteOptions,
  { isAdmitted = false } = {},
): Promise<Deleted> {
  const { resource, parts } = request
  const collection = collectionOf(request)
  const key = keyOf(resource, namespace, name)
  for (;;) {
    const stored = collection.get(key)
    if (stored === undefined) throw notFound(resource, name)
    const [current = stored.object] = await fromStorage(resource, [stored.object])
    const now = parts.runtime.clock.now()
    const plan =
      resource.kind === 'Namespace' && resource.group === ''
        ? planNamespace(resource, current, options, now)
        : planDeletion(resource, current, options, now)
    if (plan.step === 'pending') return { object: current, removed: false }
    if (!isAdmitted) await admit(request, { namespace, name }, current, options)
    const marked = plan.object === undefined ? undefined : await toStorage(resource, plan.object)
    if (collection.get(key) !== stored) continue
    if (options.dryRun) return { object: plan.object ?? current, removed: plan.step === 'remove' }
    const kept = marked === undefined ? stored : collection.put(key, marked)
    const last = plan.step === 'remove' ? (collection.delete(key) ?? kept) : kept
    const [converted = last.object] = await fromStorage(resource, [last.object])
    return { object: converted, removed: plan.step === 'remove' }
  }
}

/** A namespace first becomes Terminating; it is removed once its content is deleted and `spec.finalizers` is empty. */
function planNamespace(
  resource: ResourceRequest['resource'],
  namespace: ApiObject,
  options: DeleteOptions,
  now: number,
): ReturnType<typeof planDeletion> {
  const { uid, resourceVersion } = options.preconditions
  const { metadata } = namespace
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ''}`
    throw conflict(resource, metadata.name, why)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion ?? ''}`
    throw conflict(resource, metadata.name, why)
  }
  if (metadata.deletionTimestamp === undefined) {
    const finalizers = deletionFinalizers(resource, namespace, options)
    const marked = withMetadata(namespace, {
      deletionTimestamp: timestamp(now),
      finalizers: finalizers.length > 0 ? finalizers : undefined,
    })
    const status = { ...(at(namespace, 'status') as object), phase: 'Terminating' }
    return { step: 'mark', object: withField(marked, 'status', status) }
  }
  if (resource.strategy.isDeletionBlocked?.(namespace) === true) return { step: 'pending' }
  return planDeletion(resource, namespace, options, now)
}

async function admit(
  request: ResourceRequest,
  { namespace, name }: ObjectName,
  old: ApiObject,
  options: DeleteOptions,
): Promise<void> {
  const attributes: Attributes = {
    operation: 'DELETE',
    resource: request.resource,
    subresource: undefined,
    namespace,
    // Admission sees no name when a collection is deleted.
    name: request.info.verb === 'deletecollection' ? '' : name,
    object: undefined,
    old,
    user: request.user,
    dryRun: options.dryRun,
    options: options.document,
    warn: (text) => warn(request, text),
  }
  await request.parts.admission.mutate(attributes)
  await request.parts.admission.validate(attributes)
}
