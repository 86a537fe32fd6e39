/**
 * Applies the objects of an item in three groups: CustomResourceDefinitions, cluster-scoped objects, namespaced objects; each group in
 * parallel. A failure in one group does not stop the next one, and every object that exists is recorded even then.
 */
import {
  ApiError,
  isNotFound,
  type KubeClient,
  type ObjectProgress,
  progressOf,
  ResourceNotServed,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Clock } from '../../runtime/index.ts'
import { LandscaperError } from '../library/errors.ts'
import { applyObject, type WriteOptions } from './apply-object.ts'
import { type Failure, failureOf } from './failure.ts'
import { describeReference, keyOfReference, type ManagedResource, referenceTo } from './managed.ts'
import type { DesiredObject } from './manifests.ts'
import { inParallel } from './parallel.ts'
import { applyOrder, type Placed, typeFinder } from './scope.ts'

export interface ApplyRequest extends WriteOptions {
  readonly desired: readonly DesiredObject[]
  readonly previous: readonly ManagedResource[]
  readonly defaultNamespace: string
  readonly clock: Clock
}

export interface Applied {
  /** The objects the item has now, in the order in which they were applied. */
  readonly managed: readonly ManagedResource[]
  /** Whether the objects were ready when the server returned them last, by key. */
  readonly progress: ReadonlyMap<string, ObjectProgress>
  /** Objects the item had before that its manifests no longer contain. */
  readonly orphans: readonly ManagedResource[]
  readonly error: LandscaperError | undefined
}

/** Objects of one group that are written at the same time. */
const maxConcurrentWrites = 16
/** How long to wait until a new CustomResourceDefinition is established. */
const establishTimeoutMs = 20_000

export interface Plan {
  readonly placed: readonly Placed[]
  readonly unplaced: readonly Failure[]
  readonly orphans: readonly ManagedResource[]
}

/** Finds out which objects are written and which are removed, without writing anything. */
export async function planApply(
  request: Pick<ApplyRequest, 'client' | 'desired' | 'previous' | 'defaultNamespace'>,
): Promise<Plan> {
  const { client, previous, defaultNamespace } = request
  const desired = request.desired.filter(({ policy }) => policy !== 'ignore')
  const findType = typeFinder(client, desired, defaultNamespace)
  const placed: Placed[] = []
  const unplaced: Failure[] = []
  const stillDesired = new Set<string>()
  for (const one of request.desired) {
    try {
      const found = await findType(one)
      stillDesired.add(keyOfReference(referenceTo(found.object)))
      if (one.policy !== 'ignore') placed.push(found)
    } catch (error) {
      if (!(error instanceof ResourceNotServed)) throw error
      // Recorded objects of this kind stay on the list as orphans; an unplaced manifest fails the run before orphans are removed.
      if (one.policy === 'ignore') stillDesired.add(keyOfReference(referenceTo(one.object)))
      else unplaced.push({ object: describe(one), error })
    }
  }
  return { placed, unplaced, orphans: previous.filter(({ resource }) => !stillDesired.has(keyOfReference(resource))) }
}

export async function applyObjects(request: ApplyRequest, plan: Plan): Promise<Applied> {
  const failures: Failure[] = [...plan.unplaced]
  const before = new Map(request.previous.map((one) => [keyOfReference(one.resource), one]))
  const managed: ManagedResource[] = []
  const progress = new Map<string, ObjectProgress>()
  for (const group of applyOrder) {
    const members = plan.placed.filter((one) => one.group === group).sort(byName)
    const results = await inParallel(members, maxConcurrentWrites, (one) => applyOne(one, request, before, failures))
    const recorded = results.filter((one) => one !== undefined)
    for (const { entry, progress: seen } of recorded) {
      managed.push(entry)
      if (seen !== undefined) progress.set(keyOfReference(entry.resource), seen)
    }
    if (group === 'crds')
      await waitUntilEstablished(
        recorded.map(({ entry }) => entry),
        request,
        failures,
      )
  }
  const error = failures.length === 0 ? undefined : failureOf('ApplyObjects', 'ApplyFailed', failures)
  // One object can be served under two API groups; the uid shows that it is the same one.
  const uids = new Set(managed.map(({ resource }) => resource.uid))
  const orphans = plan.orphans.filter(({ resource: { uid } }) => uid === undefined || !uids.has(uid))
  return { managed, progress, orphans, error }
}

async function applyOne(
  placed: Placed,
  request: ApplyRequest,
  before: ReadonlyMap<string, ManagedResource>,
  failures: Failure[],
): Promise<{ readonly entry: ManagedResource; readonly progress: ObjectProgress | undefined } | undefined> {
  const resource = referenceTo(placed.object)
  const recorded = before.get(keyOfReference(resource))
  try {
    return await applyObject(placed, recorded, request)
  } catch (error) {
    request.signal.throwIfAborted()
    failures.push({ object: describe(placed), error })
    if (recorded !== undefined) return { entry: recorded, progress: undefined }
    // After an answer of the server the object does not exist; without an answer it may exist.
    if (error instanceof ApiError || error instanceof LandscaperError) return undefined
    return { entry: { policy: placed.policy, resource }, progress: undefined }
  }
}

/** The server refuses objects of a new kind until its CustomResourceDefinition is established. */
async function waitUntilEstablished(
  definitions: readonly ManagedResource[],
  request: ApplyRequest,
  failures: Failure[],
): Promise<void> {
  const { client, clock, signal } = request
  const fresh = definitions.filter(({ resource }) => !request.previous.some((one) => one.resource.uid === resource.uid))
  if (fresh.length === 0) return
  const deadline = clock.monotonic() + establishTimeoutMs
  for (const { resource } of fresh) {
    while (!(await isEstablished(client, resource.name, signal))) {
      if (clock.monotonic() >= deadline) {
        const error = new Error(`is not established after ${establishTimeoutMs / 1000} s`)
        failures.push({ object: describeReference(resource), error })
        break
      }
      await clock.sleep(100, signal)
    }
  }
  client.discovery.refresh()
}

async function isEstablished(client: KubeClient, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    return progressOf(await client.of(resources.customResourceDefinitions).get(name, { signal })).state === 'done'
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

function describe({ object, field }: DesiredObject): string {
  return `${describeReference(referenceTo(object))} (${field})`
}

function byName(a: Placed, b: Placed): number {
  const [x, y] = [keyOfReference(referenceTo(a.object)), keyOfReference(referenceTo(b.object))]
  return x < y ? -1 : Number(x > y)
}
