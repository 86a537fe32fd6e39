/**
 * Records what remains of a rollout after it has ended: metrics, and the journal with the logs of hooks. It reads the statuses that the engine
 * writes and decides nothing; an error here does not reach the engine.
 */
import {
  describeFailure,
  type HookObject,
  identityOf,
  Journal,
  type JournalEntry,
  type LogSource,
  type Page,
  Recorder,
  type RunMemory,
  readHookLog,
} from '../../hooks/index.ts'
import type { BackgroundQueue, KubeClient } from '../../kube/index.ts'
import type { Instant, Runtime } from '../../runtime/index.ts'
import { revisionLabel, rolloutLabel } from '../labels.ts'
import type { World } from '../observe/index.ts'
import { group, kind as policyKind, version } from '../policy/definition.ts'
import type { RolloutPolicy, RolloutPolicyStatus } from '../policy/types.ts'
import { type Change, changesOf, startedHooks } from './changes.ts'
import { type Count, rolloutMetrics } from './metrics.ts'

/** The Job or pod of a run. */
export type Carrier = Pick<HookObject, 'kind' | 'namespace' | 'name'> & { readonly uid?: string | undefined }

/** More objects than are being removed at once. */
const maxRecorded = 5000

export interface ReportsOptions {
  readonly background: BackgroundQueue
  /** The pods of a carrier, as far as they are known. */
  readonly logSourcesOf: (carrier: Carrier) => readonly LogSource[]
  /** Once aborted, pending requests are dropped. */
  readonly signal: AbortSignal
  /** The runs of all surfaces of this process. */
  readonly memory: RunMemory | undefined
}

export class Reports {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #recorder: Recorder
  readonly #count: Count
  readonly #options: ReportsOptions
  /** Logs to be read, by the run they belong to. */
  readonly #reading = new Map<string, () => Promise<string | undefined>>()
  /** Objects whose runs this process has recorded. */
  readonly #recorded = new Set<string>()

  constructor(client: KubeClient, runtime: Runtime, options: ReportsOptions) {
    this.#client = client
    this.#runtime = runtime
    this.#options = options
    this.#recorder = new Recorder(runtime, { memory: options.memory, journal: new Journal(client, runtime, options) })
    this.#count = rolloutMetrics(runtime.metrics)
  }

  /** The status has been written. */
  onStatusWritten(world: World, status: RolloutPolicyStatus): void {
    const { policy, compiled } = world
    const hooks = 'problems' in compiled ? [] : compiled.hooks
    const actionOf = (name: string) => hooks.find((hook) => hook.name === name)?.action.kind ?? 'unknown'
    for (const change of changesOf(policy.status?.rollout, status.rollout)) {
      this.#count(change, policy.spec.targetRef.kind)
      if (change.kind === 'hook') this.#ended(world, change, actionOf(change.record.name))
      if (change.kind === 'ended' || (change.kind === 'hook' && change.outcome === 'failed'))
        this.#recorder.keep(pageOf(policy))
    }
    for (const started of startedHooks(policy.status?.rollout, status.rollout))
      this.#recorder.started({
        ...this.#about(world, started),
        action: actionOf(started.record.name),
        at: instantOf(started.record.startedAt),
      })
  }

  /** Resolves when the log of the object is read, so that it can be deleted. */
  async saveLogs(policy: RolloutPolicy | undefined, object: HookObject): Promise<void> {
    const { observation, labels } = object
    const { [rolloutLabel]: lifecycle = '', [revisionLabel]: revision } = labels
    const { hook, attempt } = identityOf(object)
    // Known to the journal already, unless the engine that observed its end has stopped.
    if (policy !== undefined && !this.#recorded.has(nameOf(object))) {
      const { state } = observation
      const entry: JournalEntry = {
        surface: 'rollouts',
        subject: subjectOf(policy),
        ...{ lifecycle, hook, attempt, point: pointOf(policy, hook) },
        ...(revision === undefined ? {} : { revision: { name: revision } }),
        outcome: state === 'succeeded' || state === 'failed' ? state : 'cancelled',
        endedAt: this.#timeText('at' in observation ? observation.at : undefined),
        ...(state === 'failed' ? { message: describeFailure(observation) } : {}),
      }
      this.#recorder.foundEnded(pageOf(policy), entry, this.#readLog(object, entry))
    }
    await this.#reading.get(nameOf(object))?.()
  }

  close(): Promise<void> {
    return this.#recorder.close()
  }

  #about(
    { policy, workload, revisions }: World,
    { ledger, record }: Pick<Change & { kind: 'hook' }, 'ledger' | 'record'>,
  ) {
    const number = revisions.find(({ name }) => name === ledger.to)?.number ?? 0
    const { name: hook, point, attempts: attempt } = record
    const subject = { ...subjectOf(policy), uid: workload?.metadata.uid ?? '' }
    return {
      run: { surface: 'rollouts', subject, lifecycle: ledger.id, point, hook, attempt },
      revision: { name: ledger.to, ...(number === 0 ? {} : { number }) },
      cause: `${ledger.type} to ${ledger.to}`,
    }
  }

  #ended(world: World, { ledger, record, outcome }: Change & { kind: 'hook' }, action: string): void {
    const { policy } = world
    const about = this.#about(world, { ledger, record })
    const { name: hook, point, attempts: attempt, startedAt, endedAt, message, object } = record
    const { namespace = '' } = policy.metadata
    const carrier = object && {
      ...object,
      kind: object.kind === 'Job' ? ('Job' as const) : ('Pod' as const),
      namespace,
    }
    // Without the fields that the policy and the workload have anyway: a page holds up to a hundred entries.
    const entry: JournalEntry = {
      surface: 'rollouts',
      subject: subjectOf(policy),
      lifecycle: ledger.id,
      revision: about.revision,
      ...{ point, hook, attempt, outcome },
      ...(startedAt === undefined ? {} : { startedAt }),
      endedAt: endedAt ?? this.#timeText(undefined),
      ...(message === undefined ? {} : { message }),
    }
    this.#recorder.ended({
      ...about,
      ...{ action, outcome, message, entry },
      startedAt: instantOf(startedAt),
      endedAt: instantOf(endedAt),
      page: pageOf(policy),
      log: carrier && this.#readLog(carrier, entry),
    })
  }

  #readLog(carrier: Carrier, entry: JournalEntry): Promise<string | undefined> {
    const { kind, namespace, name, uid } = carrier
    const key = nameOf(carrier)
    this.#recorded.add(key)
    const [oldest] = this.#recorded
    if (this.#recorded.size > maxRecorded && oldest !== undefined) this.#recorded.delete(oldest)
    const read = this.#reading.get(key) ?? once(() => this.#read({ kind, namespace, name, uid }, entry))
    this.#reading.set(key, read)
    return this.#options.background.run(read)
  }

  async #read(carrier: Carrier, { outcome }: JournalEntry): Promise<string | undefined> {
    const speakers = this.#options.logSourcesOf(carrier)
    const known = {
      pods: speakers.map(({ name }) => name),
      logSource: outcome === 'succeeded' && speakers.length === 1 ? speakers[0] : undefined,
    }
    try {
      return await readHookLog(this.#client, this.#runtime, { ...carrier, ...known }, this.#options.signal)
    } finally {
      this.#reading.delete(nameOf(carrier))
    }
  }

  #timeText(at: Instant | undefined): string {
    return new Date(at ?? this.#runtime.clock.now()).toISOString()
  }
}

/** The first call does the work, and every call gets its result. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}

/** The page of a policy in the journal. */
export function pageOf({ metadata }: Pick<RolloutPolicy, 'metadata'>): Page {
  const owner = { apiVersion: `${group}/${version}`, kind: policyKind, name: metadata.name, uid: metadata.uid ?? '' }
  return { surface: 'rollouts', namespace: metadata.namespace ?? '', owner }
}

function subjectOf({ metadata, spec: { targetRef } }: RolloutPolicy) {
  return { kind: targetRef.kind, namespace: metadata.namespace ?? '', name: targetRef.name }
}

function instantOf(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : Date.parse(text)
}

function pointOf({ status }: RolloutPolicy, hook: string): string {
  return status?.rollout?.hooks.find(({ name }) => name === hook)?.point ?? ''
}

function nameOf({ kind, namespace, name }: Carrier): string {
  return `${kind}/${namespace}/${name}`
}
