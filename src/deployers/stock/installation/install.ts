/**
 * The run of every deployer that applies objects: record the objects, apply them, delete orphans, wait until all are ready, read exports. A
 * step that has to wait ends the call; the next call continues with it.
 */
import type { KubeClient } from '../../../kube/index.ts'
import type { Json } from '../../../runtime/index.ts'
import { type Applied, applyObjects, planApply } from '../../apply/apply.ts'
import { describeReference, keyOfReference, type ManagedResource, referenceTo } from '../../apply/managed.ts'
import type { DesiredObject } from '../../apply/manifests.ts'
import { type Owner, ownerOf } from '../../apply/owner.ts'
import { type Remaining, removeObjects } from '../../apply/remove.ts'
import { collectExports, exportTimeLeft, type Values } from '../../exports/exports.ts'
import type { DeployContext, Outcome } from '../../library/deployer.ts'
import { LandscaperError } from '../../library/errors.ts'
import { runIdOf } from '../../library/run-id.ts'
import { checkReadiness, type InstalledObjects, readinessTimeLeft } from '../../readiness/checks.ts'
import type { ApplyConfiguration } from '../configuration/compile.ts'
import { type InstallationStatus, readStatus, writeStatus } from './status.ts'

/** What distinguishes the deployers that apply objects. */
export interface InstallationKind {
  /** The apiVersion of the provider status. */
  readonly apiVersion: string
  /** The label with the name of the item that owns an object. */
  readonly label: string
}

export interface Installation {
  readonly kind: InstallationKind
  readonly client: KubeClient
  readonly clientOf: (targetName: string) => Promise<KubeClient>
  readonly defaultNamespace: string
  readonly configuration: ApplyConfiguration
}

export interface Contents {
  readonly desired: readonly DesiredObject[]
  /** The source of exports without a resource. */
  readonly rendered: Json
  /** Exported in addition to the values that are read. */
  readonly values: Values | undefined
}

export async function install(
  context: DeployContext<unknown>,
  installation: Installation,
  contents: Contents,
): Promise<Outcome | undefined> {
  const { kind, configuration } = installation
  const { clock, deployItem } = context
  const before = readStatus(context)
  const { status, progress } =
    before.appliedIn === runIdOf(deployItem)
      ? { status: before, progress: undefined }
      : await applyOnce(context, installation, contents.desired)
  const orphans = status.managed.filter(({ isOrphan }) => isOrphan === true)
  const managed = status.managed.filter(({ isOrphan }) => isOrphan !== true)
  const remaining = await removeObjects(
    orphans,
    removeRequest(context, installation, configuration.deletionGroupsDuringUpdate),
  )
  if (remaining.length > 0) {
    const left = [...managed, ...remaining.map(({ entry }) => entry)]
    const waitingFor = remaining.map(({ entry }) => describeReference(entry.resource))
    writeStatus(context, kind.apiVersion, { ...status, managed: left, waitingFor })
    checkCleanup(remaining, configuration.deleteTimeoutMs, clock.now())
    return unfinished(context)
  }
  return finish(context, installation, contents, { status: { ...status, managed }, progress })
}

/** Later calls of the same run only wait: applying again would revert what other writers set meanwhile. */
async function applyOnce(
  context: DeployContext<unknown>,
  installation: Installation,
  desired: readonly DesiredObject[],
): Promise<{ readonly status: InstallationStatus; readonly progress: Applied['progress'] }> {
  const { client, kind, configuration } = installation
  const { clock, signal, deployItem } = context
  const { appliedIn: _, ...status } = readStatus(context)
  const save = (next: InstallationStatus) => writeStatus(context, kind.apiVersion, next)
  const request = {
    client,
    owner: ownerFor(context, kind),
    strategy: configuration.strategy,
    force: configuration.force,
    desired,
    previous: status.managed,
    defaultNamespace: installation.defaultNamespace,
    clock,
    signal,
  }
  const plan = await planApply(request)
  const withNew = withNewObjects(status.managed, plan.placed)
  if (withNew !== undefined) {
    // Record the objects before the first one is created: a crash must not leave an unknown object behind.
    save({ ...status, managed: withNew })
    await context.persist()
  }
  const { managed, progress, orphans, error } = await applyObjects(request, plan)
  const all = [...managed, ...orphans.map((one) => ({ ...one, isOrphan: true }))]
  if (error !== undefined) {
    save({ ...status, managed: all })
    throw error
  }
  const applied = { ...status, managed: all, appliedIn: runIdOf(deployItem) }
  save(applied)
  return { status: applied, progress }
}

export interface AppliedState {
  readonly status: InstallationStatus
  /** Whether the objects are ready, if they were just read. */
  readonly progress?: InstalledObjects['progress']
  /** Additional fields of the provider status. */
  readonly own?: Readonly<Record<string, Json>>
}

/** The steps after the objects are applied: readiness checks and exports. */
export async function finish(
  context: DeployContext<unknown>,
  { client, kind, configuration, defaultNamespace }: Omit<Installation, 'clientOf'>,
  { rendered, values }: Pick<Contents, 'rendered' | 'values'>,
  { status, progress, own = {} }: AppliedState,
): Promise<Outcome | undefined> {
  const { clock, signal } = context
  const scope = { client, defaultNamespace, signal }
  const now = clock.now()
  const save = (next: Partial<InstallationStatus>) => writeStatus(context, kind.apiVersion, { ...status, ...next }, own)
  const notReady = await checkReadiness(scope, { managed: status.managed, progress }, configuration.checks)
  if (notReady.length > 0) {
    const since = status.since.readiness ?? timestamp(now)
    const waitingFor = notReady.map(({ message }) => message.split(':', 1)[0] ?? message)
    // Save without a start time first: when the timeout is over, the next run must not inherit the start time of this one, and it applies again.
    save({ since: {}, appliedIn: undefined, waitingFor })
    const left = readinessTimeLeft(notReady, now - Date.parse(since))
    save({ since: { ...status.since, readiness: since }, waitingFor })
    return unfinished(context, left)
  }
  const { values: read, missing } = await collectExports(scope, configuration.exports, rendered)
  if (missing.length > 0) {
    const since = status.since.exports ?? timestamp(now)
    const waitingFor = missing.map((one) => `export ${one.export.key}`)
    save({ since: {}, appliedIn: undefined, waitingFor })
    const left = exportTimeLeft(missing, now - Date.parse(since))
    save({ since: { ...status.since, exports: since }, waitingFor })
    return unfinished(context, left)
  }
  save({ since: {}, appliedIn: undefined })
  if (configuration.exports.length > 0 || values !== undefined) await context.exports({ ...values, ...read })
  return undefined
}

/** Without recorded objects the deletion succeeds even when the target is gone. */
export async function uninstall(
  context: DeployContext<unknown>,
  prepare: () => Promise<Installation>,
): Promise<Outcome | undefined> {
  const status = readStatus(context)
  if (status.managed.length === 0) return undefined
  const installation = await prepare()
  const groups = installation.configuration.deletionGroups
  const remaining = await removeObjects(status.managed, removeRequest(context, installation, groups))
  if (remaining.length === 0) return undefined
  const waitingFor = remaining.map(({ entry }) => describeReference(entry.resource))
  writeStatus(context, installation.kind.apiVersion, { ...status, waitingFor })
  return unfinished(context)
}

function ownerFor({ deployItem }: DeployContext<unknown>, { label }: InstallationKind): Owner {
  const { namespace = '', name } = deployItem.metadata
  return ownerOf(label, { namespace, name })
}

function removeRequest(
  context: DeployContext<unknown>,
  { client, clientOf, kind }: Installation,
  groups: ApplyConfiguration['deletionGroups'],
) {
  return { client, clientOf, owner: ownerFor(context, kind), groups, signal: context.signal }
}

/** The recorded list plus the objects about to be created; undefined when all are recorded already. */
function withNewObjects(
  previous: readonly ManagedResource[],
  placed: readonly { readonly object: Parameters<typeof referenceTo>[0]; readonly policy: ManagedResource['policy'] }[],
): readonly ManagedResource[] | undefined {
  const known = new Set(previous.map(({ resource }) => keyOfReference(resource)))
  const fresh = placed
    .map(({ object, policy }) => ({ policy, resource: referenceTo(object) }))
    .filter(({ resource }) => !known.has(keyOfReference(resource)))
  return fresh.length === 0 ? undefined : [...previous, ...fresh]
}

function checkCleanup(remaining: readonly Remaining[], timeoutMs: number, now: number): void {
  const late = remaining.filter(({ since }) => since !== undefined && now - since >= timeoutMs)
  if (late.length === 0) return
  const named = late.map(({ entry, finalizers }) => {
    const held = finalizers.length === 0 ? '' : ` (finalizers ${finalizers.join(', ')})`
    return `${describeReference(entry.resource)}${held}`
  })
  throw new LandscaperError(
    'RemoveOrphans',
    'CleanupTimeout',
    `orphans still exist after ${Math.round(timeoutMs / 1000)} s: ${named.join('; ')}`,
    { codes: ['ERR_CLEANUP'] },
  )
}

const minPollMs = 250
const maxPollMs = 5_000

/** Polls less often the longer the run takes. */
function unfinished({ clock, deployItem }: DeployContext<unknown>, atMost = maxPollMs): Outcome {
  const started = Date.parse(deployItem.status.lastReconcileTime ?? '')
  const elapsed = Number.isNaN(started) ? 0 : clock.now() - started
  const pollMs = Math.min(maxPollMs, Math.max(minPollMs, elapsed / 4))
  return { unfinished: true, requeueAfterMs: Math.max(1, Math.round(Math.min(pollMs, atMost))) }
}

function timestamp(now: number): string {
  return new Date(now).toISOString()
}
