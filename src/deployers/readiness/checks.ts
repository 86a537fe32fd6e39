/**
 * Checks once whether all objects of an item are ready, and returns those that are not with their timeouts. Does not wait: the caller comes
 * back later, so no worker is blocked while pods start.
 */
import { type KubeObject, type ObjectProgress, ResourceNotServed } from '../../kube/index.ts'
import { type Json, smallest } from '../../runtime/index.ts'
import {
  describeReference,
  keyOfReference,
  type ManagedResource,
  type ResourceReference,
  referenceTo,
} from '../apply/managed.ts'
import { inParallel } from '../apply/parallel.ts'
import { listObjects, type ReadScope, readObject } from '../apply/read.ts'
import { StepBudget } from '../jsonpath/budget.ts'
import { LandscaperError } from '../library/errors.ts'
import { readinessOf } from './default-rules.ts'
import { type Requirement, whyNotMet } from './requirement.ts'

export interface LabelSelection {
  readonly apiVersion: string
  readonly kind: string
  readonly matchLabels: Readonly<Record<string, string>>
}

export interface CustomCheck {
  readonly name: string
  /** Milliseconds. */
  readonly timeoutMs: number
  readonly resources: readonly Omit<ResourceReference, 'uid'>[]
  readonly selection: LabelSelection | undefined
  readonly requirements: readonly Requirement[]
}

export interface Checks {
  readonly useDefaults: boolean
  /** Milliseconds for the default checks. */
  readonly timeoutMs: number
  readonly custom: readonly CustomCheck[]
}

/** An object that is not ready, and how long it may stay so. */
export interface NotReady {
  readonly message: string
  /** The name of the custom check; undefined for the default checks. */
  readonly check: string | undefined
  readonly timeoutMs: number
}

/** The objects of the item, with their progress where it was just seen. */
export interface InstalledObjects {
  readonly managed: readonly ManagedResource[]
  readonly progress?: ReadonlyMap<string, ObjectProgress> | undefined
}

const maxConcurrentReads = 16

export async function checkReadiness(
  scope: ReadScope,
  installed: InstalledObjects,
  checks: Checks,
): Promise<readonly NotReady[]> {
  const budget = new StepBudget()
  const [defaults, ...custom] = await Promise.all([
    checks.useDefaults ? byDefault(scope, installed, checks.timeoutMs) : [],
    ...checks.custom.map((check) => byCheck(scope, check, budget)),
  ])
  return [...defaults, ...custom.flat()]
}

/** Throws when one of the timeouts is over; returns the milliseconds until the next one. */
export function readinessTimeLeft(notReady: readonly NotReady[], waited: number): number {
  const timedOut = notReady.filter(({ timeoutMs }) => waited >= timeoutMs)
  if (timedOut.length > 0) {
    const named = timedOut.map(({ check, message }) => (check === undefined ? message : `check "${check}": ${message}`))
    const seconds = Math.round(smallest(timedOut.map(({ timeoutMs }) => timeoutMs)) / 1000)
    throw new LandscaperError(
      'CheckReadiness',
      'ReadinessTimeout',
      `not ready within ${seconds} s: ${named.slice(0, 5).join('; ')}`,
      { codes: ['ERR_READINESS_CHECK_TIMEOUT'] },
    )
  }
  return smallest(notReady.map(({ timeoutMs }) => timeoutMs - waited))
}

async function byDefault(
  scope: ReadScope,
  { managed, progress }: InstalledObjects,
  timeoutMs: number,
): Promise<readonly NotReady[]> {
  const results = await inParallel(managed, maxConcurrentReads, async ({ resource }) => {
    const { state, message } = progress?.get(keyOfReference(resource)) ?? (await progressOfObject(scope, resource))
    return state === 'done'
      ? []
      : [{ message: `${describeReference(resource)}: ${message}`, check: undefined, timeoutMs }]
  })
  return results.flat()
}

async function progressOfObject(scope: ReadScope, resource: ResourceReference): Promise<ObjectProgress> {
  const object = await readObject(scope, resource)
  return object === undefined ? missing : readinessOf(object)
}

const missing = { state: 'working', message: 'does not exist' } as const

/** The messages name a few objects. */
const maxProblems = 50

async function byCheck(scope: ReadScope, check: CustomCheck, budget: StepBudget): Promise<readonly NotReady[]> {
  const { name, timeoutMs } = check
  const problems: NotReady[] = []
  const report = (message: string) => {
    if (problems.length < maxProblems) problems.push({ message, check: name, timeoutMs })
  }
  const judge = (object: KubeObject, reference: ResourceReference) => {
    for (const requirement of check.requirements) {
      const reason = whyNotMet(requirement, object as unknown as Json, budget)
      if (reason !== undefined) report(`${describeReference(reference)}: ${reason}`)
    }
  }
  for (const reference of check.resources) {
    const object = await readObject(scope, reference)
    if (object === undefined) report(`${describeReference(reference)}: ${missing.message}`)
    else judge(object, reference)
  }
  const { selection } = check
  if (selection === undefined) return problems
  let found = 0
  for await (const object of select(scope, selection)) {
    judge(object, { ...referenceTo(object), kind: selection.kind })
    found += 1
  }
  // A check without any object must not pass.
  if (found === 0) report(`no ${selection.kind} matches the label selector`)
  return problems
}

async function* select(
  { client, signal }: ReadScope,
  { apiVersion, kind, matchLabels }: LabelSelection,
): AsyncGenerator<KubeObject, void> {
  const labelSelector = Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  try {
    const handle = await client.find(apiVersion, kind)
    yield* listObjects(handle, { labelSelector, signal })
  } catch (error) {
    if (!(error instanceof ResourceNotServed)) throw error
  }
}
