/** Follows a rollout with its workload and pods, and shows every change until it has ended. */
import { createReflector, labelSelectorText, type ResourceType } from '../../kube/index.ts'
import { type Pod, resources } from '../../kube/kinds/index.ts'
import { policyType, type RolloutPolicy, type Workload } from '../../rollouts/index.ts'
import { CarabinerError, type Timer } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import type { Outcome } from '../outcome.ts'
import type { Place } from '../place.ts'
import { imagesIn } from './detail/detail.ts'
import { podState } from './detail/pod-state.ts'
import { revisionsOf } from './detail/revisions.ts'
import { isOver } from './follow.ts'
import { outcomeOf } from './outcome.ts'
import { workloadTypes } from './policies.ts'
import { Timeline } from './timeline/timeline.ts'
import { type Audience, type Scene, type View, viewOf } from './view.ts'

/** Time goes on although nothing changes. */
const tickMs = 1000
/** Several watches tell of one thing; what the first one says alone may never have been so. */
const settlingMs = 100

type WatchContext = Pick<CliContext, 'runtime' | 'signal'> & Audience

export class Watching {
  readonly #context: WatchContext
  readonly #place: Place
  readonly #view: View
  readonly #done = new AbortController()
  /** Of the command, or of the end. */
  readonly #over: AbortSignal
  readonly #pods
  #scene: Scene
  #isEndless = false
  /** Where there has been no rollout yet, the first one is waited for. A short one may have ended before a person looks. */
  #hasRollout: boolean
  #hasFailed: boolean
  #knowsPods = false
  #drawing: Timer | undefined
  #gone: string | undefined

  constructor(context: WatchContext, place: Place, { policy, workload }: Pick<Scene, 'policy' | 'workload'>) {
    this.#context = context
    this.#place = place
    this.#view = viewOf(context)
    this.#over = AbortSignal.any([context.signal, this.#done.signal])
    const begun = beginOf(policy) ?? this.#now()
    const outcome = outcomeOf(policy, workload)
    this.#scene = { policy, workload, outcome, begun, timeline: new Timeline(begun), pods: [] }
    this.#hasRollout = outcome !== 'settled' || policy.status?.rollout !== undefined
    this.#hasFailed = isAborted(policy)
    this.#pods = createReflector<Pod>(place.client.of(resources.pods), context.runtime, {
      namespace: place.namespace,
      labelSelector: labelSelectorText(workload.spec.selector),
      project: (object) => object as Pod,
    })
  }

  /** Until the rollout has ended, or with `isEndless` until the command is interrupted. */
  async run({ isEndless = false }: { readonly isEndless?: boolean } = {}): Promise<Outcome> {
    this.#isEndless = isEndless
    const { kind, name } = this.#scene.policy.spec.targetRef
    this.#followPods()
    await Promise.all([
      this.#follow<RolloutPolicy>(policyType, this.#scene.policy.metadata.name, (policy) => this.#change({ policy })),
      this.#follow<Workload>(workloadTypes[kind], name, (workload) => this.#change({ workload })),
      this.#pods.run(this.#over),
      this.#keepTicking(),
    ])
    this.#drawing?.cancel()
    await this.#countPodsOnce()
    this.#view.show(this.#scene, this.#now())
    if (this.#gone !== undefined)
      throw new CarabinerError('CRB_USAGE', `${this.#gone} was deleted meanwhile`, {
        remedy: 'There is nothing left to watch.',
      })
    // An interrupted client has not seen the end.
    if (!isEndless && !this.#done.signal.aborted) return 'going'
    return this.#hasFailed && this.#scene.outcome === 'settled' ? 'failed' : this.#scene.outcome
  }

  #change(change: Partial<Scene>): void {
    const before = this.#scene.policy.status?.rollout?.id
    this.#scene = { ...this.#scene, ...change }
    const { policy, workload } = this.#scene
    const id = policy.status?.rollout?.id
    if (id !== before && id !== undefined) {
      const begun = beginOf(policy) ?? this.#now()
      const { images: _, ...scene } = this.#scene
      this.#scene = { ...scene, begun, timeline: scene.timeline.from(begun) }
      this.#findImages()
    }
    const { timeline } = this.#scene
    timeline.policy(policy, this.#now())
    timeline.workload(workload, this.#now())
    this.#scene = { ...this.#scene, outcome: outcomeOf(policy, workload) }
    if (this.#scene.outcome === 'going') this.#hasRollout = true
    this.#drawSoon()
    if (isAborted(policy)) this.#hasFailed = true
    // An end without pods would be a picture of nothing.
    if (this.#knowsPods && this.#hasRollout && isOver(this.#scene) && !this.#isEndless) this.#done.abort()
  }

  #followPods(): void {
    const { cache } = this.#pods
    cache.subscribe((change) => {
      const isGone = change.type === 'deleted'
      this.#scene.timeline.pod(isGone ? change.previous : change.value, isGone, this.#now())
      this.#drawSoon()
    })
    void cache.synced.then(() => {
      this.#knowsPods = true
      // What was counted before all pods were known was never so.
      this.#scene = { ...this.#scene, timeline: this.#scene.timeline.from(this.#scene.begun) }
      this.#findImages()
      this.#change({})
    })
  }

  /** Revisions do not change, so that one look for each rollout is enough. */
  #findImages(): void {
    const { policy, workload } = this.#scene
    void revisionsOf(this.#place, workload)
      .then((revisions) => {
        const images = imagesIn(policy, workload, revisions)
        if (images === undefined || policy.status?.rollout?.id !== this.#scene.policy.status?.rollout?.id) return
        this.#scene = { ...this.#scene, images }
        this.#drawSoon()
      })
      // The names of the revisions are shown in their place.
      .catch(() => undefined)
  }

  async #follow<T extends RolloutPolicy | Workload>(type: ResourceType, name: string, seen: (object: T) => void) {
    const { client, namespace } = this.#place
    const reflector = createReflector<T>(client.of(type), this.#context.runtime, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      project: (object) => object as T,
    })
    reflector.cache.subscribe((change) => {
      if (change.type !== 'deleted') return seen(change.value)
      this.#gone = `${type.kind} ${namespace}/${name}`
      this.#done.abort()
    })
    await reflector.run(AbortSignal.any([this.#over]))
  }

  /** The engine may have seen the last pods before this watch told of them. A client that may not read it shows what it has. */
  async #countPodsOnce(): Promise<void> {
    if (!this.#done.signal.aborted || this.#gone !== undefined) return
    const { client, namespace } = this.#place
    const labelSelector = labelSelectorText(this.#scene.workload.spec.selector)
    await client
      .of(resources.pods)
      .list({ namespace, labelSelector, signal: this.#context.signal })
      .then(({ items }) => {
        this.#scene.timeline.allPods(items, this.#now())
        this.#scene = { ...this.#scene, pods: items.map(podState) }
      })
      .catch(() => undefined)
  }

  #drawSoon(): void {
    this.#drawing ??= this.#context.runtime.clock.after(settlingMs, () => {
      this.#drawing = undefined
      if (!this.#knowsPods) return
      this.#scene = { ...this.#scene, pods: [...this.#pods.cache.values()].map(podState) }
      this.#view.show(this.#scene, this.#now())
    })
  }

  async #keepTicking(): Promise<void> {
    while (!this.#over.aborted) {
      await this.#context.runtime.clock.sleep(tickMs, this.#over).catch(() => undefined)
      if (!this.#over.aborted) this.#drawSoon()
    }
  }

  #now(): number {
    return this.#context.runtime.clock.now()
  }
}

function isAborted({ status }: RolloutPolicy): boolean {
  return status?.rollout?.phase === 'Aborted'
}

function beginOf({ status }: RolloutPolicy): number | undefined {
  const started = status?.rollout?.startedAt
  return started === undefined ? undefined : Date.parse(started)
}
