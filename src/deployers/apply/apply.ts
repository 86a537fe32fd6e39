/**
 * Applies the objects of an item: definitions, then cluster-scoped, then namespaced ones, each group in parallel. A group goes on after
 * errors in the one before it, and what exists is recorded even when something failed, so that nothing is ever forgotten.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import { ApiError, isNotFound, ResourceNotServed } from '../../kube/errors.ts'
import type { KubeObject } from '../../kube/object.ts'
import { progressOf } from '../../kube/progress.ts'
import { resources } from '../../kube/types.ts'
import type { Clock } from '../../runtime/clock.ts'
import { LandscaperError } from '../library/errors.ts'
import { type Failure, failureOf } from './failure.ts'
import { describeReference, keyOfReference, type ManagedResource, referenceTo } from './managed.ts'
import { inParallel } from './parallel.ts'
import { applyOrder, type Placed, placer } from './scope.ts'
import type { Wanted } from './wanted.ts'
import { bringInLine, type WriteOptions } from './write.ts'

export interface ApplyRequest extends WriteOptions {
  readonly wanted: readonly Wanted[]
  readonly previous: readonly ManagedResource[]
  readonly defaultNamespace: string
  readonly clock: Clock
}

export interface Applied {
  /** What the item has now, in the order in which it was applied. */
  readonly managed: readonly ManagedResource[]
  /** The objects themselves as they were seen last, by key. */
  readonly live: ReadonlyMap<string, KubeObject>
  /** What it had before and does not want any more. */
  readonly orphans: readonly ManagedResource[]
  readonly error: LandscaperError | undefined
}

/** Objects of a group written at the same time. */
const atOnce = 16
/** Milliseconds a new definition gets until the server serves it. */
const establishing = 20_000

export interface Plan {
  readonly placed: readonly Placed[]
  readonly unplaced: readonly Failure[]
  readonly orphans: readonly ManagedResource[]
}

/** Sorts out what is to be done without writing anything. */
export async function planApply(
  request: Pick<ApplyRequest, 'client' | 'wanted' | 'previous' | 'defaultNamespace'>,
): Promise<Plan> {
  const { client, previous, defaultNamespace } = request
  const wanted = request.wanted.filter(({ policy }) => policy !== 'ignore')
  const place = placer(client, wanted, defaultNamespace)
  const placed: Placed[] = []
  const unplaced: Failure[] = []
  const still = new Set<string>()
  for (const one of request.wanted) {
    try {
      const found = await place(one)
      still.add(keyOfReference(referenceTo(found.object)))
      if (one.policy !== 'ignore') placed.push(found)
    } catch (error) {
      if (!(error instanceof ResourceNotServed)) throw error
      // What the item has of such a kind stays on its list as an orphan; nothing is removed while something is unplaced.
      if (one.policy === 'ignore') still.add(keyOfReference(referenceTo(one.object)))
      else unplaced.push({ what: describe(one), error })
    }
  }
  return { placed, unplaced, orphans: previous.filter(({ resource }) => !still.has(keyOfReference(resource))) }
}

export async function applyObjects(request: ApplyRequest, plan: Plan): Promise<Applied> {
  const failures: Failure[] = [...plan.unplaced]
  const before = new Map(request.previous.map((one) => [keyOfReference(one.resource), one]))
  const managed: ManagedResource[] = []
  const live = new Map<string, KubeObject>()
  for (const group of applyOrder) {
    const members = plan.placed.filter((one) => one.group === group).sort(byName)
    const results = await inParallel(members, atOnce, (one) => attempt(one, request, before, failures))
    const recorded = results.filter((one) => one !== undefined)
    for (const { entry, live: object } of recorded) {
      managed.push(entry)
      if (object !== undefined) live.set(keyOfReference(entry.resource), object)
    }
    if (group === 'crds')
      await served(
        recorded.map(({ entry }) => entry),
        request,
        failures,
      )
  }
  const error = failures.length === 0 ? undefined : failureOf('ApplyObjects', 'ApplyFailed', failures)
  // The same object under another group is the same object.
  const uids = new Set(managed.map(({ resource }) => resource.uid))
  const orphans = plan.orphans.filter(({ resource: { uid } }) => uid === undefined || !uids.has(uid))
  return { managed, live, orphans, error }
}

async function attempt(
  placed: Placed,
  request: ApplyRequest,
  before: ReadonlyMap<string, ManagedResource>,
  failures: Failure[],
): Promise<{ readonly entry: ManagedResource; readonly live: KubeObject | undefined } | undefined> {
  const resource = referenceTo(placed.object)
  const recorded = before.get(keyOfReference(resource))
  try {
    return await bringInLine(placed, recorded, request)
  } catch (error) {
    request.signal.throwIfAborted()
    failures.push({ what: describe(placed), error })
    if (recorded !== undefined) return { entry: recorded, live: undefined }
    // An answer says that the object was not made; without one it may be there.
    if (error instanceof ApiError || error instanceof LandscaperError) return undefined
    return { entry: { policy: placed.policy, resource }, live: undefined }
  }
}

/** Objects of a new kind are refused until its definition is established. */
async function served(
  definitions: readonly ManagedResource[],
  request: ApplyRequest,
  failures: Failure[],
): Promise<void> {
  const { client, clock, signal } = request
  const fresh = definitions.filter(({ resource }) => !request.previous.some((one) => one.resource.uid === resource.uid))
  if (fresh.length === 0) return
  const deadline = clock.monotonic() + establishing
  for (const { resource } of fresh) {
    while (!(await isEstablished(client, resource.name, signal))) {
      if (clock.monotonic() >= deadline) {
        const error = new Error(`is not established within ${establishing / 1000} s`)
        failures.push({ what: describeReference(resource), error })
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

function describe({ object, field }: Wanted): string {
  return `${describeReference(referenceTo(object))} (${field})`
}

function byName(a: Placed, b: Placed): number {
  const [x, y] = [keyOfReference(referenceTo(a.object)), keyOfReference(referenceTo(b.object))]
  return x < y ? -1 : Number(x > y)
}
