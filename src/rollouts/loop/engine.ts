/**
 * The loop around the decision: caches say which policy may have something to do, the decision is made from them and carried out. No
 * policy is decided about again before the caches show what was last written for it.
 */
import {
  type BeforeDelete,
  type CleanupScheduler,
  type HookObject,
  HttpExecutor,
  ObjectExecutor,
  type Run,
  type RunMemory,
} from '../../hooks/index.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { runController, source } from '../../kube/controller/index.ts'
import { isConflict, isNamespaceEnding, isNotFound } from '../../kube/errors.ts'
import { createEventRecorder } from '../../kube/events/recorder.ts'
import { type Event, resources } from '../../kube/kinds/index.ts'
import { keyOf } from '../../kube/object.ts'
import { BackgroundQueue } from '../../kube/queue/background-queue.ts'
import { IdlePeriod } from '../../kube/queue/idle-period.ts'
import { createWorkQueue } from '../../kube/queue/workqueue.ts'
import type { Instant } from '../../runtime/clock.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type Hands, perform, type Written } from '../act/perform.ts'
import { decide } from '../decide/decide.ts'
import type { Gate } from '../gate/start.ts'
import { policyLabel } from '../labels.ts'
import { type Caches, createCaches } from '../observe/caches.ts'
import { observe } from '../observe/observe.ts'
import { addressOf, type Packed } from '../observe/packed.ts'
import type { Owned } from '../observe/projections.ts'
import { Deeds } from '../observe/recent-actions.ts'
import type { PodState } from '../observe/world.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { type Carrier, Reports } from '../reports/reports.ts'
import { Stillness } from './steady-state.ts'
import { Rivalry, told } from './write-contention.ts'

export interface RunningEngine {
  /** Every cache is complete and policies are worked on. */
  readonly ready: Promise<void>
  readonly ended: Promise<void>
}

/** Most of a worker's time is spent waiting for answers. */
const workers = 24
const conflictPause = 100
/** Milliseconds after which a cache shows what was made, or never will. */
const patience = 5_000

/** A gate that somebody else looks after. */
const assumedGate: Pick<Gate, 'kind' | 'problem' | 'subscribe'> = {
  kind: 'webhook',
  problem: () => undefined,
  subscribe: () => undefined,
}

export interface EngineOptions {
  /** @default one that another process looks after */
  readonly gate?: Pick<Gate, 'kind' | 'problem' | 'subscribe'> | undefined
  /** Where the runs of hooks are remembered. @default a memory of its own */
  readonly memory?: RunMemory | undefined
}

export function startEngine(
  client: KubeClient,
  runtime: Runtime,
  signal: AbortSignal,
  { gate = assumedGate, memory }: EngineOptions = {},
): RunningEngine {
  const engine = runtime.random.uuid().slice(0, 8)
  const caches = createCaches(client, runtime)
  const silence = new AbortController()
  const background = { events: new BackgroundQueue(runtime.clock), rest: new BackgroundQueue(runtime.clock, 2) }
  const idlePeriod = new IdlePeriod(runtime.clock)
  const events = createEventRecorder(client.of<Event>(resources.events), runtime, {
    controller: 'carabiner.dev/rollouts',
    instance: 'carabiner',
    signal: silence.signal,
    background: background.events,
  })
  const queue = createWorkQueue(runtime, { name: 'rollouts' })
  const logSourcesOf = ({ kind, namespace, name, uid = '' }: Carrier) =>
    kind === 'Job'
      ? caches.pods.by('owner', uid).flatMap(({ logSource }) => logSource ?? [])
      : caches.hooks.flatMap((cache) => cache.get(`${namespace}/${name}`)?.logSource ?? [])
  const reports = new Reports(client, runtime, {
    background: background.rest,
    logSourcesOf,
    signal: silence.signal,
    memory,
  })
  const policyKey = ({ namespace, labels }: HookObject) => `${namespace}/${labels[policyLabel]}`
  const beforeDelete: BeforeDelete = {
    saveLogs: (object) => reports.lastWords(caches.policies.get(policyKey(object))?.open(), object),
    onDeleteFailed: (object) => queue.add(policyKey(object)),
  }
  const cleanup: CleanupScheduler = {
    background: (work) => background.rest.run(work),
    whenIdle: (work) => idlePeriod.wait().then(() => background.rest.run(work)),
  }
  const hands: Hands = {
    client,
    hooks: new ObjectExecutor({ client, runtime, caches: caches.hooks, beforeDelete, cleanup, signal }),
    http: new HttpExecutor(client, runtime, signal),
    events,
    deeds: new Deeds(runtime.clock),
    reports,
    wake: (policy) => queue.add(keyOf(policy)),
  }
  const written = new Map<string, Written>()
  const rivals = { status: new Rivalry(), workload: new Rivalry() }
  /** Made for a policy and not yet shown by the caches. */
  const revisions = new Map<string, { readonly uid: string; readonly until: Instant }>()

  const stillness = new Stillness()

  function targetOf({ target }: Packed<RolloutPolicy>): Packed<Workload> | undefined {
    const { kind, key } = addressOf(target)
    return caches.workloads[kind]?.get(key)
  }

  /** What a decision that stands still was made from. */
  function factsOf(policy: Packed<RolloutPolicy> | undefined): readonly unknown[] {
    if (policy === undefined) return []
    const workload = targetOf(policy)
    const rivals = caches.policies.by('target', policy.target).length
    const objects = caches.hooks.flatMap((cache) => cache.by('policy', policy.key))
    return [policy, workload, gate.problem(), rivals, ...objects.filter((object) => !hands.hooks.leaves(object))]
  }

  async function reconcile(key: string) {
    const packed = caches.policies.get(key)
    const facts = factsOf(packed)
    const now = runtime.clock.now()
    const still = stillness.lasts(key, facts, now)
    if (still !== undefined) return still === Infinity ? undefined : { requeueAfterMs: still - now }
    stillness.forget(key)
    if (packed === undefined) return void written.delete(key)
    if (!shows(written.get(key), packed, targetOf(packed))) return undefined
    const policy = packed.open()
    const self = {
      engine,
      gate: { kind: gate.kind, problem: gate.problem() },
      startedHere: (run: Run) => hands.deeds.startOf(run),
      leaves: (object: HookObject) => hands.hooks.leaves(object),
      deleted: ({ uid }: PodState) => hands.deeds.hasDeleted(uid),
    }
    const world = observe(caches, [hands.http, hands.hooks], self, policy)
    const found = { status: told(policy.status), generation: String(world.workload?.metadata.generation) }
    const pause = Math.max(
      rivals.status.pause(key, found.status, now),
      rivals.workload.pause(key, found.generation, now),
    )
    if (pause > 0) return { requeueAfterMs: pause }
    const made = revisions.get(key)
    const isShown = made === undefined || world.revisions.some(({ uid }) => uid === made.uid)
    if (!isShown && now < made.until) return { requeueAfterMs: made.until - now }
    revisions.delete(key)
    const decision = decide(world, now)
    if (decision.standsStill === true && decision.writes.length === 0) stillness.note(key, facts, decision.wakeAt)
    if (decision.writes.length > 0) {
      runtime.log.debug('decided', { policy: key, why: decision.why, writes: decision.writes.map(({ kind }) => kind) })
      if (decision.writes.some(({ kind }) => kind !== 'retire-leftover')) idlePeriod.reset()
      try {
        const { revision, ...versions } = await perform(hands, world, decision.writes)
        written.set(key, { ...written.get(key), ...versions })
        const status = decision.writes.findLast((write) => write.kind === 'status')?.status
        if (status !== undefined && versions.policy !== undefined)
          rivals.status.wrote(key, found.status, told(status), now)
        if (versions.generation !== undefined) rivals.workload.wrote(key, found.generation, versions.generation, now)
        if (revision !== undefined) revisions.set(key, { uid: revision, until: now + patience })
      } catch (error) {
        // Somebody else was faster, or it is gone or about to go; what the caches are about to show is decided about then.
        if (isNotFound(error) || isNamespaceEnding(error)) return { requeueAfterMs: patience }
        if (!isConflict(error)) throw error
        return { requeueAfterMs: conflictPause }
      }
    }
    return decision.wakeAt === undefined ? undefined : { requeueAfterMs: Math.max(0, decision.wakeAt - now) }
  }

  /** What is left to be told is told at once; a server that does not answer is not waited for. */
  async function close() {
    idlePeriod.skip()
    for (const queue of Object.values(background)) queue.drain()
    const impatience = runtime.clock.after(patience, () => silence.abort())
    await Promise.all([reports.close(), events.flush()])
    impatience.cancel()
    // Nothing listens any more for an end that has come.
    silence.abort()
  }

  gate.subscribe(() => {
    for (const key of caches.policies.keys()) queue.add(key)
  })
  const sources = sourcesOf(caches)
  const ended = Promise.all([
    caches.run(signal),
    runController({ name: 'rollouts', runtime, queue, sources, reconcile, concurrency: workers, signal }),
  ]).then(close)
  return { ready: Promise.all(sources.map(({ synced }) => synced)).then(() => undefined), ended }
}

/** Whether the caches have what was last written; versions of one server can be compared. */
function shows(
  written: Written | undefined,
  policy: Packed<RolloutPolicy>,
  workload: Packed<Workload> | undefined,
): boolean {
  const reached = (version: string | undefined, seen: string) =>
    version === undefined || Number(seen) >= Number(version)
  return (
    reached(written?.policy, policy.version) && (workload === undefined || reached(written?.workload, workload.version))
  )
}

function sourcesOf(caches: Caches) {
  const byTarget = ({ target }: { readonly target: string }) =>
    caches.policies.by('target', target).map(({ key }) => key)
  const workloadsByUid = (uid: string) => Object.values(caches.workloads).flatMap((cache) => cache.by('uid', uid))
  // Pods of Deployments belong to a ReplicaSet, which belongs to the Deployment.
  const byOwner = ({ owner }: Owned<unknown>): string[] => {
    const through = caches.revisions
      .flatMap((cache) => cache.by('uid', owner))
      .flatMap((revision) => workloadsByUid(revision.owner))
    return [...workloadsByUid(owner), ...through].flatMap(byTarget)
  }
  return [
    source(caches.policies, byTarget),
    ...Object.values(caches.workloads).map((cache) => source(cache, byTarget)),
    ...caches.revisions.map((cache) => source(cache, byOwner)),
    source(caches.pods, byOwner),
    ...caches.hooks.map((cache) => source(cache, ({ namespace, labels }) => [`${namespace}/${labels[policyLabel]}`])),
  ]
}
