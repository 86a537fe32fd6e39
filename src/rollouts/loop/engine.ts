/**
 * The loop around the decision: caches say which policies may have something to do, each of them is reconciled by one worker at a time, and on
 * shutdown what is left to be reported is sent.
 */
import {
  type BeforeDelete,
  type CleanupScheduler,
  type HookObject,
  HttpExecutor,
  ObjectExecutor,
  type RunMemory,
} from '../../hooks/index.ts'
import { runController } from '../../kube/controller/index.ts'
import {
  BackgroundQueue,
  createEventRecorder,
  createWorkQueue,
  IdlePeriod,
  type KubeClient,
  keyOf,
} from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import type { EngineDeps } from '../act/index.ts'
import type { Gate } from '../gate/start.ts'
import { policyLabel } from '../labels.ts'
import { type Caches, createCaches, RecentActions } from '../observe/index.ts'
import { type Carrier, Reports } from '../reports/reports.ts'
import { cacheTimeoutMs, type OnDecided, Reconciler } from './reconcile.ts'
import { sourcesOf } from './sources.ts'

export interface RunningEngine {
  /** Every cache is complete and policies are reconciled. */
  readonly ready: Promise<void>
  readonly ended: Promise<void>
}

/** Most of a worker's time is spent waiting for the API server. */
const workers = 24

/** A gate that is installed and observed by someone else. */
const assumedGate: Pick<Gate, 'kind' | 'problem' | 'subscribe'> = {
  kind: 'webhook',
  problem: () => undefined,
  subscribe: () => undefined,
}

export interface EngineOptions {
  /** @default one that another process installs and observes */
  readonly gate?: Pick<Gate, 'kind' | 'problem' | 'subscribe'> | undefined
  /** Where the runs of hooks are recorded. @default a memory of its own */
  readonly memory?: RunMemory | undefined
  /** Receives every decision and the world it was made from. @default decisions are only logged */
  readonly onDecided?: OnDecided | undefined
}

export function startEngine(
  client: KubeClient,
  runtime: Runtime,
  signal: AbortSignal,
  { gate = assumedGate, memory, onDecided }: EngineOptions = {},
): RunningEngine {
  const engine = runtime.random.uuid().slice(0, 8)
  const caches = createCaches(client, runtime)
  const queue = createWorkQueue(runtime, { name: 'rollouts' })
  const { deps, idle, close } = createDeps({ client, runtime, signal, caches, memory, add: (key) => queue.add(key) })
  const reconciler = new Reconciler(runtime, { engine, caches, deps, gate, idle, onDecided })
  gate.subscribe(() => {
    for (const key of caches.policies.keys()) queue.add(key)
  })
  const sources = sourcesOf(caches)
  const reconcile = (key: string) => reconciler.reconcile(key)
  const ended = Promise.all([
    caches.run(signal),
    runController({ name: 'rollouts', runtime, queue, sources, reconcile, concurrency: workers, signal }),
  ]).then(close)
  return { ready: Promise.all(sources.map(({ synced }) => synced)).then(() => undefined), ended }
}

interface Parts {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
  readonly caches: Caches
  readonly memory: RunMemory | undefined
  /** Has the policy with this key reconciled. */
  readonly add: (key: string) => void
}

interface Built {
  readonly deps: EngineDeps
  readonly idle: IdlePeriod
  /** Sends what is left to be reported. */
  readonly close: () => Promise<void>
}

function createDeps({ client, runtime, signal, caches, memory, add }: Parts): Built {
  const { clock } = runtime
  const silence = new AbortController()
  const background = { events: new BackgroundQueue(clock), rest: new BackgroundQueue(clock, 2) }
  const idle = new IdlePeriod(clock)
  const events = createEventRecorder(client.of(resources.events), runtime, {
    controller: 'carabiner.dev/rollouts',
    instance: 'carabiner',
    signal: silence.signal,
    background: background.events,
  })
  const logSourcesOf = ({ kind, namespace, name, uid = '' }: Carrier) =>
    kind === 'Job'
      ? caches.pods.by('owner', uid).flatMap(({ logSource }) => logSource ?? [])
      : caches.hooks.flatMap((cache) => cache.get(`${namespace}/${name}`)?.logSource ?? [])
  const reports = new Reports(client, runtime, {
    ...{ background: background.rest, logSourcesOf, memory },
    signal: silence.signal,
  })
  const policyKey = ({ namespace, labels }: HookObject) => `${namespace}/${labels[policyLabel]}`
  const beforeDelete: BeforeDelete = {
    saveLogs: (object) => reports.saveLogs(caches.policies.get(policyKey(object))?.open(), object),
    onDeleteFailed: (object) => add(policyKey(object)),
  }
  const cleanup: CleanupScheduler = {
    background: (work) => background.rest.run(work),
    whenIdle: (work) => idle.wait().then(() => background.rest.run(work)),
  }
  const deps: EngineDeps = {
    client,
    objects: new ObjectExecutor({ client, runtime, caches: caches.hooks, beforeDelete, cleanup, signal }),
    http: new HttpExecutor(client, runtime, signal),
    events,
    recent: new RecentActions(clock),
    reports,
    wake: (policy) => add(keyOf(policy)),
  }
  /** Nothing is delayed any more, and a server that does not answer is not waited for. */
  const close = async () => {
    idle.skip()
    for (const queue of Object.values(background)) queue.drain()
    const silencing = clock.after(cacheTimeoutMs, () => silence.abort())
    await Promise.all([reports.close(), events.flush()])
    silencing.cancel()
    // Timers and listeners that follow the signal end with it.
    silence.abort()
  }
  return { deps, idle, close }
}
