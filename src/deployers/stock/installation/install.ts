/**
 * The run of every deployer that applies objects: write down what will be there, apply, remove what is no longer wanted, wait until all is
 * ready, read exports. Each step that has to wait ends the call, and the next call comes past the steps before it without a write.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import type { Json } from '../../../runtime/json.ts'
import { applyObjects, planApply } from '../../apply/apply.ts'
import { describeReference, keyOfReference, type ManagedResource, referenceTo } from '../../apply/managed.ts'
import { type Owner, ownerOf } from '../../apply/owner.ts'
import { type Remaining, removeObjects } from '../../apply/remove.ts'
import type { Wanted } from '../../apply/wanted.ts'
import { collectExports, exportTimeLeft, type Values } from '../../exports/exports.ts'
import type { DeployContext, Outcome } from '../../library/deployer.ts'
import { LandscaperError } from '../../library/errors.ts'
import { lookAtReadiness, timeLeft } from '../../readiness/checks.ts'
import type { ApplyConfiguration } from '../configuration/compile.ts'
import { type InstallationStatus, readStatus, writeStatus } from './status.ts'

/** What differs between deployers. */
export interface Kind {
  /** Of the provider status. */
  readonly apiVersion: string
  /** The label that says which item an object belongs to. */
  readonly label: string
}

export interface Installation {
  readonly kind: Kind
  readonly client: KubeClient
  readonly clientOf: (targetName: string) => Promise<KubeClient>
  readonly defaultNamespace: string
  readonly configuration: ApplyConfiguration
}

export interface Contents {
  readonly wanted: readonly Wanted[]
  /** What exports without a resource are read from. */
  readonly rendered: Json
  /** Values to hand on besides those that are read. */
  readonly values: Values | undefined
}

export async function install(
  context: DeployContext<unknown>,
  installation: Installation,
  contents: Contents,
): Promise<Outcome | undefined> {
  const { client, kind, configuration } = installation
  const { clock, signal } = context
  const status = readStatus(context)
  const save = (next: InstallationStatus) => writeStatus(context, kind.apiVersion, next)
  const owner = owned(context, kind)
  const request = {
    client,
    owner,
    strategy: configuration.strategy,
    force: configuration.force,
    wanted: contents.wanted,
    previous: status.managed,
    defaultNamespace: installation.defaultNamespace,
    clock,
    signal,
  }
  const plan = await planApply(request)
  const announced = announce(status.managed, plan.placed)
  if (announced !== undefined) {
    // Before the first object exists: a crash must not leave one behind that nobody knows of.
    save({ ...status, managed: announced })
    await context.persist()
  }
  const { managed, live, orphans, error } = await applyObjects(request, plan)
  save({ ...status, managed: [...managed, ...orphans] })
  if (error !== undefined) throw error
  const remaining = await removeObjects(
    orphans,
    removal(context, installation, configuration.deletionGroupsDuringUpdate),
  )
  const left = [...managed, ...remaining.map(({ entry }) => entry)]
  if (remaining.length > 0) {
    save({ ...status, managed: left, waitingFor: remaining.map(({ entry }) => describeReference(entry.resource)) })
    checkCleanup(remaining, configuration.deleteTimeout, clock.now())
    return later(context)
  }
  return finish(context, installation, contents, { ...status, managed }, live)
}

/** Readiness and exports: all that is left when the objects are as they should be. */
export async function finish(
  context: DeployContext<unknown>,
  { client, kind, configuration, defaultNamespace: home }: Omit<Installation, 'clientOf'>,
  { rendered, values }: Pick<Contents, 'rendered' | 'values'>,
  status: InstallationStatus,
  live?: Parameters<typeof lookAtReadiness>[1]['live'],
  own: Readonly<Record<string, Json>> = {},
): Promise<Outcome | undefined> {
  const { clock, signal } = context
  const place = { client, home, signal }
  const now = clock.now()
  const save = (next: Partial<InstallationStatus>) => writeStatus(context, kind.apiVersion, { ...status, ...next }, own)
  const notReady = await lookAtReadiness(place, { managed: status.managed, live }, configuration.checks)
  if (notReady.length > 0) {
    const since = status.since.readiness ?? timestamp(now)
    const waitingFor = notReady.map(({ message }) => message.split(':', 1)[0] ?? message)
    // Saved twice: when its time is over, the next run must not start with the time of this one.
    save({ since: {}, waitingFor })
    const left = timeLeft(notReady, now - Date.parse(since))
    save({ since: { ...status.since, readiness: since }, waitingFor })
    return later(context, left)
  }
  const { values: read, missing } = await collectExports(place, configuration.exports, rendered)
  if (missing.length > 0) {
    const since = status.since.exports ?? timestamp(now)
    const waitingFor = missing.map((one) => `export ${one.export.key}`)
    save({ since: {}, waitingFor })
    const left = exportTimeLeft(missing, now - Date.parse(since))
    save({ since: { ...status.since, exports: since }, waitingFor })
    return later(context, left)
  }
  save({ since: {} })
  if (configuration.exports.length > 0 || values !== undefined) await context.exports({ ...values, ...read })
  return undefined
}

/** Nothing recorded means nothing to do, whatever became of the target. */
export async function uninstall(
  context: DeployContext<unknown>,
  prepare: () => Promise<Installation>,
): Promise<Outcome | undefined> {
  const status = readStatus(context)
  if (status.managed.length === 0) return undefined
  const installation = await prepare()
  const groups = installation.configuration.deletionGroups
  const remaining = await removeObjects(status.managed, removal(context, installation, groups))
  if (remaining.length === 0) return undefined
  const waitingFor = remaining.map(({ entry }) => describeReference(entry.resource))
  writeStatus(context, installation.kind.apiVersion, { ...status, waitingFor })
  return later(context)
}

function owned({ deployItem }: DeployContext<unknown>, { label }: Kind): Owner {
  const { namespace = '', name } = deployItem.metadata
  return ownerOf(label, { namespace, name })
}

function removal(
  context: DeployContext<unknown>,
  { client, clientOf, kind }: Installation,
  groups: ApplyConfiguration['deletionGroups'],
) {
  return { client, clientOf, owner: owned(context, kind), groups, signal: context.signal }
}

/** The list with what is about to be made, or undefined when everything is in it already. */
function announce(
  previous: readonly ManagedResource[],
  placed: readonly { readonly object: Parameters<typeof referenceTo>[0]; readonly policy: ManagedResource['policy'] }[],
): readonly ManagedResource[] | undefined {
  const known = new Set(previous.map(({ resource }) => keyOfReference(resource)))
  const fresh = placed
    .map(({ object, policy }) => ({ policy, resource: referenceTo(object) }))
    .filter(({ resource }) => !known.has(keyOfReference(resource)))
  return fresh.length === 0 ? undefined : [...previous, ...fresh]
}

function checkCleanup(remaining: readonly Remaining[], timeout: number, now: number): void {
  const late = remaining.filter(({ since }) => since !== undefined && now - since >= timeout)
  if (late.length === 0) return
  const named = late.map(({ entry, finalizers }) => {
    const held = finalizers.length === 0 ? '' : ` (finalizers ${finalizers.join(', ')})`
    return `${describeReference(entry.resource)}${held}`
  })
  throw new LandscaperError(
    'RemoveOrphans',
    'CleanupTimeout',
    `no longer wanted but still there after ${Math.round(timeout / 1000)} s: ${named.join('; ')}`,
    { codes: ['ERR_CLEANUP'] },
  )
}

const shortest = 250
const longest = 5_000

/** The longer a run goes on, the less a moment more matters. */
function later({ clock, deployItem }: DeployContext<unknown>, atMost = longest): Outcome {
  const started = Date.parse(deployItem.status.lastReconcileTime ?? '')
  const elapsed = Number.isNaN(started) ? 0 : clock.now() - started
  const patience = Math.min(longest, Math.max(shortest, elapsed / 4))
  return { unfinished: true, requeueAfterMs: Math.max(1, Math.round(Math.min(patience, atMost))) }
}

function timestamp(now: number): string {
  return new Date(now).toISOString()
}
