/**
 * What happened to a rollout over time, as it can be drawn: pods of the old and the new version, the gate, and runs of hooks. It is told of
 * every observed of the policy, the workload and its pods, from a live cluster or from a simulated one, and keeps what changed.
 */
import type { KubeObject } from '../../../kube/index.ts'
import { type HookState, holdLabel, type Ledger, type RolloutPolicy, type Workload } from '../../../rollouts/index.ts'
import { revisionOf } from '../detail/revisions.ts'

export interface Pods {
  readonly old: number
  readonly oldReady: number
  readonly fresh: number
  readonly freshReady: number
}

/** `closed` before the first new pod, `held` at a point between, else `open`. */
export type GateState = 'open' | 'closed' | 'held'

export interface Sample extends Pods {
  /** Milliseconds since the beginning. */
  readonly at: number
  readonly gate: GateState
  readonly replicas: number
}

export interface Bar {
  readonly hook: string
  readonly point: string
  readonly attempt: number
  readonly from: number
  /** Undefined while it runs. */
  readonly to?: number
  readonly state: HookState
}

interface Pod extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

export class Timeline {
  readonly samples: Sample[] = []
  readonly #bars = new Map<string, Bar>()
  readonly #started: number
  /** The revision whose pods are new: that of the first rollout, also when it is taken back. */
  #to: string | undefined
  #workload: Workload | undefined
  readonly #pods = new Map<string, Pod>()

  /** `started`: the moment that counts as 0. */
  constructor(started: number) {
    this.#started = started
  }

  get bars(): readonly Bar[] {
    return [...this.#bars.values()]
  }

  get last(): Sample | undefined {
    return this.samples.at(-1)
  }

  /** What is known of now, with another beginning. */
  from(started: number): Timeline {
    const next = new Timeline(started)
    next.#workload = this.#workload
    for (const [uid, pod] of this.#pods) next.#pods.set(uid, pod)
    return next
  }

  policy(policy: RolloutPolicy, now: number): void {
    const ledger = policy.status?.rollout
    this.#to ??= ledger?.to
    for (const record of ledger?.hooks ?? []) {
      const { name: hook, point, attempts: attempt, startedAt, endedAt, state } = record
      if (startedAt === undefined || Date.parse(startedAt) < this.#started) continue
      const from = Date.parse(startedAt) - this.#started
      // A retry waits with the marks of the attempt before.
      const ended = endedAt === undefined || endedAt < startedAt ? undefined : Date.parse(endedAt) - this.#started
      const shown = state === 'Pending' && ended !== undefined ? 'Failed' : state
      const bar: Bar = { hook, point, attempt, from, state: shown, ...(ended === undefined ? {} : { to: ended }) }
      this.#bars.set(`${ledger?.id}/${hook}/${attempt}`, bar)
    }
    this.#cancelOthers(ledger, now)
    this.#sample(now)
  }

  workload(workload: Workload, now: number): void {
    this.#workload = workload
    this.#sample(now)
  }

  pod(pod: KubeObject, isGone: boolean, now: number): void {
    const { uid = '' } = pod.metadata
    if (isGone) this.#pods.delete(uid)
    else this.#pods.set(uid, pod)
    this.#sample(now)
  }

  /** All there are, whatever was told before. */
  allPods(pods: readonly KubeObject[], now: number): void {
    this.#pods.clear()
    for (const pod of pods) this.#pods.set(pod.metadata.uid ?? '', pod)
    this.#sample(now)
  }

  /** What ran for a rollout that another one took the place of was cancelled. */
  #cancelOthers(ledger: Ledger | undefined, now: number): void {
    for (const [key, bar] of this.#bars)
      if (bar.to === undefined && !key.startsWith(`${ledger?.id}/`))
        this.#bars.set(key, { ...bar, to: now - this.#started, state: 'Cancelled' })
  }

  #sample(now: number): void {
    const pods = this.#count()
    const sample: Sample = { at: now - this.#started, ...pods, gate: this.#gate(pods), replicas: this.#replicas() }
    const { last } = this
    if (last !== undefined && sameButTime(last, sample)) return
    if (last?.at === sample.at) this.samples.pop()
    this.samples.push(sample)
  }

  #count(): Pods {
    const counts = { old: 0, oldReady: 0, fresh: 0, freshReady: 0 }
    const to = this.#to
    for (const pod of this.#pods.values()) {
      if (pod.metadata.deletionTimestamp !== undefined) continue
      const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
      const isFresh = to !== undefined && revisionOf(pod) === to
      counts[isFresh ? 'fresh' : 'old']++
      if (isReady) counts[isFresh ? 'freshReady' : 'oldReady']++
    }
    return counts
  }

  #gate({ fresh }: Pods): GateState {
    const hold = this.#workload?.metadata.labels?.[holdLabel]
    if (hold === undefined) return 'open'
    // That of a DaemonSet stays closed on its way: the engine itself takes the old pods away.
    const isOnItsWay = hold === 'step' || (this.#workload?.kind === 'DaemonSet' && fresh > 0)
    return isOnItsWay ? 'held' : 'closed'
  }

  #replicas(): number {
    const { spec, status } = (this.#workload ?? {}) as {
      spec?: { replicas?: number }
      status?: { desiredNumberScheduled?: number }
    }
    return spec?.replicas ?? status?.desiredNumberScheduled ?? 0
  }
}

function sameButTime(a: Sample, b: Sample): boolean {
  return (['old', 'oldReady', 'fresh', 'freshReady', 'gate', 'replicas'] as const).every((name) => a[name] === b[name])
}
