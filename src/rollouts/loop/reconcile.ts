/**
 * Reconciles one policy: observes, decides, performs. A policy is not decided about again before the caches show what was last written for it.
 */
import type { HookObject } from '../../hooks/index.ts'
import { type IdlePeriod, isConflict, isNamespaceEnding, isNotFound } from '../../kube/index.ts'
import type { Instant, Runtime } from '../../runtime/index.ts'
import { type EngineDeps, perform, type Written } from '../act/index.ts'
import { type Decided, type Decision, decideNext, type SituationName, writesOf } from '../decide/index.ts'
import type { Gate } from '../gate/start.ts'
import { addressOf, type Caches, type Observer, observe, type Packed, type World } from '../observe/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { SteadyState } from './steady-state.ts'
import { fingerprint, WriteContention } from './write-contention.ts'

const conflictBackoffMs = 100
/** After this time a cache shows what was created, or never will. */
export const cacheTimeoutMs = 5_000

/** When to reconcile again; undefined when a change of an object is enough. */
type Again = { readonly requeueAfterMs: number } | undefined

interface Fingerprints {
  readonly status: string
  readonly generation: string
}

export type OnDecided = (world: World, now: Instant, decided: Decided) => void

export interface ReconcilerOptions {
  readonly engine: string
  readonly caches: Caches
  readonly deps: EngineDeps
  readonly gate: Pick<Gate, 'kind' | 'problem'>
  readonly idle: IdlePeriod
  readonly onDecided?: OnDecided | undefined
}

export class Reconciler {
  readonly #runtime: Runtime
  readonly #options: ReconcilerOptions
  readonly #steady = new SteadyState()
  readonly #contention = { status: new WriteContention(), workload: new WriteContention() }
  readonly #written = new Map<string, Written>()
  /** Created for a policy and not shown by the caches yet. */
  readonly #revisions = new Map<string, { readonly uid: string; readonly until: Instant }>()

  constructor(runtime: Runtime, options: ReconcilerOptions) {
    this.#runtime = runtime
    this.#options = options
  }

  async reconcile(key: string): Promise<Again> {
    const made = this.#decide(key)
    if (made === undefined || 'requeueAfterMs' in made) return made
    const { world, decision, facts, now } = made
    const writes = writesOf(decision)
    if (writes.length === 0) {
      if (decision.isSteady === true) this.#steady.record(key, facts, decision.wakeAt)
    } else {
      const kinds = writes.map(({ kind }) => kind)
      this.#runtime.log.debug('decided', { policy: key, situation: made.situation, why: decision.why, writes: kinds })
      if (kinds.some((kind) => kind !== 'retire-leftover')) this.#options.idle.reset()
      try {
        this.#remember(key, made, await perform(this.#options.deps, world, decision))
      } catch (error) {
        // Another writer was faster, or the object is gone or about to go: the caches will show it, and the next decision is made from that.
        if (isNotFound(error) || isNamespaceEnding(error)) return { requeueAfterMs: cacheTimeoutMs }
        if (!isConflict(error)) throw error
        return { requeueAfterMs: conflictBackoffMs }
      }
    }
    return decision.wakeAt === undefined ? undefined : { requeueAfterMs: Math.max(0, decision.wakeAt - now) }
  }

  /** The decision, or when to decide. */
  #decide(key: string): Made | Again {
    const { caches } = this.#options
    const packed = caches.policies.get(key)
    const facts = this.#factsOf(packed)
    const now = this.#runtime.clock.now()
    const steadyUntil = this.#steady.unchangedUntil(key, facts, now)
    if (steadyUntil !== undefined) return steadyUntil === Infinity ? undefined : { requeueAfterMs: steadyUntil - now }
    this.#steady.forget(key)
    if (packed === undefined) {
      this.#written.delete(key)
      return undefined
    }
    if (!shows(this.#written.get(key), packed, this.#targetOf(packed))) return undefined
    const world = observe(caches, this.#observer(), packed.open())
    const found = { status: fingerprint(world.policy.status), generation: String(world.workload?.metadata.generation) }
    const wait = this.#backoffMs(key, found, now) || this.#untilShown(key, world, now)
    if (wait > 0) return { requeueAfterMs: wait }
    const decided = decideNext(world, now)
    this.#options.onDecided?.(world, now, decided)
    const { situation, decision } = decided
    return { situation: situation.name, world, decision, facts, found, now }
  }

  /** Everything that a decision without writes was made from, when it says that it is steady. */
  #factsOf(policy: Packed<RolloutPolicy> | undefined): readonly unknown[] {
    if (policy === undefined) return []
    const { caches, gate, deps } = this.#options
    const rivals = caches.policies.by('target', policy.target).length
    const objects = caches.hooks.flatMap((cache) => cache.by('policy', policy.key))
    const staying = objects.filter((object) => !deps.objects.leaves(object))
    return [policy, this.#targetOf(policy), gate.problem(), rivals, ...staying]
  }

  #targetOf({ target }: Packed<RolloutPolicy>): Packed<Workload> | undefined {
    const { kind, key } = addressOf(target)
    return this.#options.caches.workloads[kind]?.get(key)
  }

  #observer(): Observer {
    const { engine, gate, deps } = this.#options
    return {
      engine,
      gate: { kind: gate.kind, problem: gate.problem() },
      executors: [deps.http, deps.objects],
      isLeaving: (object: HookObject) => deps.objects.leaves(object),
      hasDeleted: ({ uid }) => deps.recent.hasDeleted(uid),
      startOf: (run) => deps.recent.startOf(run),
    }
  }

  #backoffMs(key: string, found: Fingerprints, now: Instant): number {
    const { status, workload } = this.#contention
    return Math.max(status.backoffMs(key, found.status, now), workload.backoffMs(key, found.generation, now))
  }

  /** How long to wait for the caches to show the revision that was created; 0 when they show it, or never will. */
  #untilShown(key: string, { revisions }: World, now: Instant): number {
    const created = this.#revisions.get(key)
    const isShown = created === undefined || revisions.some(({ uid }) => uid === created.uid)
    if (!isShown && now < created.until) return created.until - now
    this.#revisions.delete(key)
    return 0
  }

  #remember(key: string, { decision, found, now }: Made, { revision, ...versions }: Written): void {
    this.#written.set(key, { ...this.#written.get(key), ...versions })
    const status = decision.finalLedger ?? decision.ledger
    const { status: statuses, workload } = this.#contention
    if (status !== undefined && versions.policy !== undefined)
      statuses.record(key, { found: found.status, written: fingerprint(status) }, now)
    if (versions.generation !== undefined)
      workload.record(key, { found: found.generation, written: versions.generation }, now)
    if (revision !== undefined) this.#revisions.set(key, { uid: revision, until: now + cacheTimeoutMs })
  }
}

interface Made {
  readonly situation: SituationName
  readonly world: World
  readonly decision: Decision
  readonly facts: readonly unknown[]
  readonly found: Fingerprints
  readonly now: Instant
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
