/**
 * Carries out a decision, one write after the other. A write that finds its object changed fails the whole batch; the next decision is
 * made from what is there then.
 */

import { type HttpExecutor, type ObjectExecutor, projectHookObject } from '../../hooks/index.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { isAlreadyExists, isConflict, isNotFound, unless } from '../../kube/errors.ts'
import type { EventRecorder } from '../../kube/events/event.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import { secondTime } from '../../kube/time.ts'
import type { Instant } from '../../runtime/clock.ts'
import type { Write } from '../decide/decision.ts'
import { templatePatch } from '../decide/undo.ts'
import { holdLabel } from '../labels.ts'
import { apartFrom } from '../objects/hidden-replica-set.ts'
import { hookObject } from '../objects/hook-object.ts'
import { httpCallOf } from '../objects/http-call.ts'
import { replicaSetManager, replicaSetOf } from '../objects/replica-set.ts'
import { templateIn } from '../objects/revision-template.ts'
import { templateHash } from '../objects/template-hash.ts'
import { policyType } from '../observe/caches.ts'
import type { Deeds } from '../observe/recent-actions.ts'
import type { World } from '../observe/world.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Deployment, Workload, WorkloadCondition } from '../policy/workload.ts'
import type { Reports } from '../reports/reports.ts'
import { disown, workloadManager } from './disown.ts'
import { changeSight } from './hide-replica-set.ts'

export interface Hands {
  readonly client: KubeClient
  readonly hooks: ObjectExecutor
  readonly http: HttpExecutor
  readonly events: EventRecorder
  readonly deeds: Deeds
  readonly reports: Reports
  /** Has the policy decided about again. */
  wake(policy: RolloutPolicy): void
}

/** What the caches must show before anybody decides again about this policy: versions reached, or an object. */
export interface Written {
  readonly policy?: string
  readonly workload?: string
  /** Of the workload; it changes with what is wanted of it alone. */
  readonly generation?: string
  /** The uid of the revision that was made. */
  readonly revision?: string
}

const types = {
  Deployment: resources.deployments,
  StatefulSet: resources.statefulSets,
  DaemonSet: resources.daemonSets,
} as const

/** The version is all that is read of what the server answers; the rest comes from the caches. */
const brief = { answer: 'metadata' } as const

export async function perform(hands: Hands, world: World, writes: readonly Write[]): Promise<Written> {
  let written: Written = {}
  if (!(await holds(hands, world, writes))) return written
  for (const write of writes) written = { ...written, ...(await performOne(hands, world, write, written)) }
  return written
}

/** What must not be done by whoever knows an old ledger. */
const risky: ReadonlySet<Write['kind']> = new Set([
  'start-hook',
  'remove-stray',
  'set-apart',
  'bring-back',
  'remove-twin',
])

/**
 * Caches do not wait for each other. Where one that is behind would make a hook run twice or fail, the server is asked; when it knows
 * more, nothing is done until the caches do.
 */
async function holds({ client }: Hands, { policy, workload }: World, writes: readonly Write[]): Promise<boolean> {
  const { name, resourceVersion, namespace = '' } = policy.metadata
  for (const write of writes) {
    if (write.kind !== 'expect-gone' && write.kind !== 'remove-stray') continue
    const handle = client.of(write.object.kind === 'Job' ? resources.jobs : resources.pods)
    const found = await handle.get(write.object.name, { namespace }).catch(unless(isNotFound))
    if (found === undefined || found.metadata.uid !== (write.object.uid ?? found.metadata.uid)) continue
    if (write.kind === 'expect-gone') return false
    // What seems to run may have failed meanwhile, and then somebody may want to look at it.
    if (projectHookObject(found).observation.state !== write.object.observation.state) return false
  }
  // A write of the ledger is a lock of its own, where it comes first. Otherwise whoever knows an old one would open what another one holds.
  const ledgerAt = writes.findIndex(({ kind }) => kind === 'status')
  const unlocked = ledgerAt < 0 ? writes : writes.slice(0, ledgerAt)
  const isRisky = (write: Write) =>
    risky.has(write.kind) || (write.kind === 'workload' && (ledgerAt >= 0 || holdsAnew(workload, write.patch)))
  if (!unlocked.some(isRisky)) return true
  const stored = await client.of(policyType).get(name, { namespace })
  return stored.metadata.resourceVersion === resourceVersion
}

/** Somebody has opened it. Whether he should have the last ledger says, which he wrote before. */
function holdsAnew(
  workload: Workload | undefined,
  patch: { readonly metadata?: { readonly labels?: object } },
): boolean {
  const labels: Readonly<Record<string, unknown>> = { ...patch.metadata?.labels }
  return typeof labels[holdLabel] === 'string' && workload?.metadata.labels?.[holdLabel] === undefined
}

async function performOne(hands: Hands, world: World, write: Write, before: Written): Promise<Written> {
  const { client } = hands
  const { policy } = world
  const namespace = policy.metadata.namespace ?? ''
  const at = { namespace, ...brief }
  switch (write.kind) {
    case 'status': {
      const stored = await client
        .of(policyType)
        .update({ ...policy, status: write.status } as KubeObject, { subresource: 'status', ...brief })
      hands.reports.told(world, write.status)
      return versionOf('policy', stored)
    }
    case 'finalizers': {
      const { name, resourceVersion } = policy.metadata
      const value = { metadata: { resourceVersion, finalizers: write.finalizers } }
      return versionOf('policy', await client.of(policyType).patch(name, { type: 'merge', value }, at))
    }
    case 'workload': {
      const { kind, metadata } = workloadOf(world)
      const patch = write.patch as { metadata?: object }
      const value = { ...patch, metadata: { ...patch.metadata, resourceVersion: metadata.resourceVersion } }
      const handle = client.of(typeOf(kind))
      const named = { namespace, fieldManager: workloadManager, answer: 'managers' } as const
      return versionOf(
        'workload',
        await disown(handle, await handle.patch(metadata.name, { type: 'merge', value }, named)),
      )
    }
    case 'workload-failed':
      return versionOf('workload', await tellFailed(client, workloadOf(world) as Deployment, write))
    case 'workload-not-failed':
      return versionOf('workload', await tellPaused(client, workloadOf(world) as Deployment, write.at))
    case 'create-revision': {
      const number = 1 + Math.max(0, ...world.revisions.map((revision) => revision.number))
      const deployment = workloadOf(world) as Deployment
      const set = replicaSetOf(deployment, write.name, number)
      const made = write.isApart ? { ...set, metadata: { ...set.metadata, ...apartFrom(deployment, set) } } : set
      const created = await client
        .of<KubeObject>(resources.replicaSets)
        .create(made, { fieldManager: replicaSetManager, ...brief })
        .catch(unless(isAlreadyExists))
      return created?.metadata.uid === undefined ? {} : { revision: created.metadata.uid }
    }
    case 'set-apart':
    case 'bring-back':
      await changeSight(client, workloadOf(world) as Deployment, write)
      return {}
    case 'remove-twin': {
      const { name, uid } = write.revision
      await client
        .of(resources.replicaSets)
        .delete(name, { namespace, preconditions: { uid } })
        .catch(unless(isNotFound, isConflict))
      return {}
    }
    case 'take-back': {
      const { kind, name, templateHash: hash } = write.revision
      const type = kind === 'ReplicaSet' ? resources.replicaSets : resources.controllerRevisions
      const template = templateIn(await client.of(type).get(name, { namespace }))
      // Whoever made a revision of this name anew had another template in mind.
      if (templateHash(template) !== hash) return {}
      const workload = workloadOf(world)
      const operations = templatePatch(workload, template)
      const handle = client.of(typeOf(workload.kind))
      const named = { ...at, fieldManager: workloadManager }
      return versionOf('workload', await handle.patch(workload.metadata.name, { type: 'json', operations }, named))
    }
    case 'annotate-revision': {
      const { kind, name } = write.revision
      const value = { metadata: { annotations: write.annotations } }
      const type = kind === 'ReplicaSet' ? resources.replicaSets : resources.controllerRevisions
      await client.of(type).patch(name, { type: 'merge', value }, at)
      return {}
    }
    case 'start-hook': {
      const { run, hook } = write
      const context = { ...write.context, toUid: write.context.toUid || (before.revision ?? '') }
      // Somebody else has made the revision: the next decision knows it.
      if (context.toUid === '') return {}
      if (hook.action.kind === 'http') {
        void hands.http.start(run, httpCallOf(policy, run, hook.action.http, context), () => hands.wake(policy))
        return {}
      }
      const action = hookObject(policy, workloadOf(world), run, hook, context)
      const outcome =
        action &&
        (await hands.hooks.start(run, action, () => hands.wake(policy)).catch(notStarted(hands, world, hook.name)))
      // No cache will ever tell of it.
      if (outcome === 'refused') hands.wake(policy)
      else hands.deeds.started(run)
      return {}
    }
    case 'cancel-hook':
      void hands.http.cancel(write.run)
      await hands.hooks.cancel(write.run)
      return {}
    case 'remove-hook':
      void hands.http.cancel(write.run)
      await hands.hooks.retire(write.run)
      return {}
    case 'expect-gone':
      return {}
    case 'retire-leftover':
      await hands.hooks.retireObject(write.object, 'whenIdle')
      return {}
    case 'remove-leftover':
    case 'remove-stray':
      await hands.hooks.removeObject(write.object)
      return {}
    case 'forget-answers': {
      const value = { metadata: { annotations: Object.fromEntries(write.annotations.map((name) => [name, null])) } }
      const handle = client.of(policyType)
      return versionOf('policy', await handle.patch(policy.metadata.name, { type: 'merge', value }, at))
    }
    case 'delete-pod':
      await client
        .of(resources.pods)
        .delete(write.name, { namespace, preconditions: { uid: write.uid } })
        .catch(unless(isNotFound, isConflict))
      hands.deeds.deleted(write.uid)
      return {}
    case 'event': {
      const { type, reason, message: note } = write
      const { workload } = world
      if (workload === undefined || write.isRoutine !== true) hands.events.record(policy, { type, reason, note })
      if (workload !== undefined) hands.events.record(workload, { type, reason, note })
      return {}
    }
  }
}

/** It is tried again later, by the queue; somebody may have to do something until then. */
function notStarted({ events }: Hands, { policy, workload }: World, hook: string): (error: unknown) => never {
  return (error) => {
    const said = error instanceof Error ? error.message : String(error)
    const event = { type: 'Warning', reason: 'HookNotStarted', note: `hook ${hook}: ${said}` } as const
    for (const object of [policy, workload]) if (object !== undefined) events.record(object, event)
    throw error
  }
}

function workloadOf({ workload }: World): Workload {
  if (workload === undefined) throw new Error('a decision about a workload was made without one')
  return workload
}

function typeOf(kind: string) {
  return types[kind as keyof typeof types]
}

function versionOf(name: 'policy' | 'workload', { metadata }: KubeObject): Written {
  const { resourceVersion, generation } = metadata
  return {
    ...(resourceVersion === undefined ? {} : { [name]: resourceVersion }),
    ...(name === 'policy' || generation === undefined ? {} : { generation: String(generation) }),
  }
}

/** Plain `kubectl rollout status` ends with an error when it reads this reason. */
function tellFailed(
  client: KubeClient,
  workload: Deployment,
  { message, at }: { readonly message: string; readonly at: Instant },
): Promise<KubeObject> {
  return tell(client, workload, { status: 'False', reason: 'ProgressDeadlineExceeded', message }, at)
}

/** What the native controller says of a paused Deployment, unless it failed before. */
function tellPaused(client: KubeClient, workload: Deployment, at: Instant): Promise<KubeObject> {
  const said = { status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' }
  return tell(client, workload, said, at)
}

/** With the times that the native controller would have written: it counts deadlines from them, and people read them. */
function tell(
  client: KubeClient,
  { metadata, status }: Deployment,
  said: Pick<WorkloadCondition, 'status' | 'reason' | 'message'>,
  at: Instant,
): Promise<KubeObject> {
  const type = 'Progressing'
  const before = status?.conditions?.find((condition) => condition.type === type)
  const time = secondTime(at)
  const lastTransitionTime = before?.status === said.status ? (before.lastTransitionTime ?? time) : time
  const now = { type, ...said, lastUpdateTime: time, lastTransitionTime }
  const conditions = [...(status?.conditions ?? []).filter((condition) => condition.type !== type), now]
  const value = { metadata: { resourceVersion: metadata.resourceVersion }, status: { conditions } }
  const where = { namespace: metadata.namespace ?? '', subresource: 'status', ...brief }
  return client.of(resources.deployments).patch(metadata.name, { type: 'merge', value }, where)
}
