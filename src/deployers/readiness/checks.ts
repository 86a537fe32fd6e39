/**
 * Looks once whether everything an item brought is ready, and says what is not and until when it has time. Never waits: whoever asks comes
 * back, so that no worker stands still while pods start.
 */
import { ResourceNotServed } from '../../kube/errors.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { Json } from '../../runtime/json.ts'
import {
  describeReference,
  keyOfReference,
  type ManagedResource,
  type ResourceReference,
  referenceTo,
} from '../apply/managed.ts'
import { inParallel } from '../apply/parallel.ts'
import { type ReadPlace, readObject } from '../apply/read.ts'
import { LandscaperError } from '../library/errors.ts'
import { readinessOf } from './default-rules.ts'
import { type Requirement, unmet } from './requirement.ts'

export interface LabelSelection {
  readonly apiVersion: string
  readonly kind: string
  readonly matchLabels: Readonly<Record<string, string>>
}

export interface CustomCheck {
  readonly name: string
  /** Milliseconds. */
  readonly timeout: number
  readonly resources: readonly Omit<ResourceReference, 'uid'>[]
  readonly selection: LabelSelection | undefined
  readonly requirements: readonly Requirement[]
}

export interface Checks {
  readonly useDefaults: boolean
  /** Milliseconds for the default checks. */
  readonly timeout: number
  readonly custom: readonly CustomCheck[]
}

/** Something that is not ready, and for how long it may stay so. */
export interface NotReady {
  readonly message: string
  /** The check it belongs to; undefined for the default ones. */
  readonly check: string | undefined
  readonly timeout: number
}

/** What the item brought, with the objects themselves where they were seen a moment ago. */
export interface Brought {
  readonly managed: readonly ManagedResource[]
  readonly live?: ReadonlyMap<string, KubeObject> | undefined
}

const atOnce = 16

export async function lookAtReadiness(
  place: ReadPlace,
  brought: Brought,
  checks: Checks,
): Promise<readonly NotReady[]> {
  const [defaults, ...custom] = await Promise.all([
    checks.useDefaults ? byDefault(place, brought, checks.timeout) : [],
    ...checks.custom.map((check) => byCheck(place, check)),
  ])
  return [...defaults, ...custom.flat()]
}

/** Throws when one of them had time enough; gives the milliseconds until the next one has. */
export function timeLeft(notReady: readonly NotReady[], waited: number): number {
  const late = notReady.filter(({ timeout }) => waited >= timeout)
  if (late.length > 0) {
    const named = late.map(({ check, message }) => (check === undefined ? message : `check "${check}": ${message}`))
    const seconds = Math.round(Math.min(...late.map(({ timeout }) => timeout)) / 1000)
    throw new LandscaperError(
      'CheckReadiness',
      'ReadinessTimeout',
      `not ready within ${seconds} s: ${named.slice(0, 5).join('; ')}`,
      { codes: ['ERR_READINESS_CHECK_TIMEOUT'] },
    )
  }
  return Math.min(...notReady.map(({ timeout }) => timeout - waited))
}

async function byDefault(place: ReadPlace, { managed, live }: Brought, timeout: number): Promise<readonly NotReady[]> {
  const judged = await inParallel(managed, atOnce, async ({ resource }) => {
    const object = live?.get(keyOfReference(resource)) ?? (await readObject(place, resource))
    const { state, message } = object === undefined ? absent : readinessOf(object)
    return state === 'done'
      ? []
      : [{ message: `${describeReference(resource)}: ${message}`, check: undefined, timeout }]
  })
  return judged.flat()
}

const absent = { state: 'working', message: 'is not there' } as const

async function byCheck(place: ReadPlace, check: CustomCheck): Promise<readonly NotReady[]> {
  const { name, timeout } = check
  const late = (message: string): NotReady => ({ message, check: name, timeout })
  const problems: NotReady[] = []
  const judge = (object: KubeObject, reference: ResourceReference) => {
    for (const requirement of check.requirements) {
      const reason = unmet(requirement, object as unknown as Json)
      if (reason !== undefined) problems.push(late(`${describeReference(reference)}: ${reason}`))
    }
  }
  for (const reference of check.resources) {
    const object = await readObject(place, reference)
    if (object === undefined) problems.push(late(`${describeReference(reference)}: ${absent.message}`))
    else judge(object, reference)
  }
  if (check.selection !== undefined) {
    const found = await select(place, check.selection)
    // A check that finds nothing to check must not pass.
    if (found.length === 0) problems.push(late(`no ${check.selection.kind} has the labels of the selector`))
    for (const object of found) judge(object, { ...referenceTo(object), kind: check.selection.kind })
  }
  return problems
}

async function select(
  { client, signal }: ReadPlace,
  { apiVersion, kind, matchLabels }: LabelSelection,
): Promise<readonly KubeObject[]> {
  const labelSelector = Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
  try {
    const handle = await client.find(apiVersion, kind)
    return (await handle.list({ labelSelector, signal })).items
  } catch (error) {
    if (error instanceof ResourceNotServed) return []
    throw error
  }
}
