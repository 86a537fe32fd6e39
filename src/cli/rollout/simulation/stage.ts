/** The workload and its policy in a simulated cluster: brought to rest, changed, and followed until nothing moves any more. */
import { approvalAnnotation } from '../../../hooks/index.ts'
import {
  type KubeClient,
  type KubeObject,
  labelSelectorText,
  progressOf,
  type ResourceType,
  until,
} from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { policyType, type RolloutPolicy, type Workload } from '../../../rollouts/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import { workloadTypes } from '../policies.ts'
import type { Subject } from '../subjects.ts'
import { Timeline } from '../timeline/timeline.ts'
import { rolledAnnotation, simulatedPolicy, simulatedWorkload } from './behaviour.ts'
import type { SimulationSettings } from './settings.ts'

/** A simulation that takes longer does not end. */
const stillness = 2 * 3_600_000
/** What is left to be seen after the end is seen by then. */
const afterwards = 20_000
const personTakes = 30_000

export class Stage {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #subject: Subject
  readonly #namespace: string
  readonly #name: string

  constructor(client: KubeClient, runtime: Runtime, subject: Subject) {
    this.#client = client
    this.#runtime = runtime
    this.#subject = subject
    this.#namespace = subject.policy.metadata.namespace ?? 'default'
    this.#name = subject.workload.metadata.name
  }

  /** The old version at full size, and a policy that is ready. */
  async prepare(signal: AbortSignal): Promise<void> {
    const { policy, workload } = this.#subject
    const namespace = this.#namespace
    if (namespace !== 'default') {
      const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
      await this.#client.of(resources.namespaces).create(space)
    }
    const workloads = this.#client.of<Workload>(this.#type)
    await workloads.create(bare(simulatedWorkload(workload), namespace))
    const isUp = (found: Workload) => progressOf(found).state === 'done'
    await until(workloads, this.#runtime, { name: this.#name, namespace, signal }, isUp)
    const policies = this.#client.of<RolloutPolicy>(policyType)
    const { name } = await policies.create(bare(simulatedPolicy(policy), namespace)).then(({ metadata }) => metadata)
    const isSeen = ({ status }: RolloutPolicy) => status?.conditions?.some(({ status: is }) => is === 'True') ?? false
    await until(policies, this.#runtime, { name, namespace, signal }, isSeen)
    // Revisions tell their age in seconds.
    await this.#runtime.clock.sleep(5000)
  }

  /** Changes the template, scales at the chosen times, and resolves when the rollout has ended or nothing changes any more. */
  async roll({ scale, fail }: SimulationSettings, signal: AbortSignal): Promise<{ timeline: Timeline; start: number }> {
    const { clock } = this.#runtime
    const timeline = new Timeline(clock.now())
    const settled = this.#follow(timeline, fail, signal)
    await clock.sleep(1)
    const start = clock.now()
    await this.#patch({ spec: { template: { metadata: { annotations: { [rolledAnnotation]: 'true' } } } } })
    for (const { after, replicas } of scale)
      clock.after(after, () => void this.#patch({ spec: { replicas } }, 'scale').catch(() => undefined))
    await settled
    return { timeline, start }
  }

  async policy(): Promise<RolloutPolicy> {
    const { name } = this.#subject.policy.metadata
    return this.#client.of<RolloutPolicy>(policyType).get(name, { namespace: this.#namespace })
  }

  get #type(): ResourceType {
    return workloadTypes[this.#subject.policy.spec.targetRef.kind]
  }

  #patch(value: object, subresource?: string): Promise<KubeObject> {
    const at = { namespace: this.#namespace, ...(subresource === undefined ? {} : { subresource }) }
    return this.#client.of(this.#type).patch(this.#name, { type: 'merge', value }, at)
  }

  #follow(timeline: Timeline, fail: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#runtime
    const labelSelector = labelSelectorText(this.#subject.workload.spec.selector)
    return new Promise((resolve) => {
      let quiet = clock.after(stillness, resolve)
      const see = (type: ResourceType, selector: object, seen: (object: KubeObject, isGone: boolean) => void) => {
        const watching = async () => {
          for await (const event of this.#client.of(type).watch({ namespace: this.#namespace, ...selector, signal })) {
            if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue
            quiet.cancel()
            quiet = clock.after(stillness, resolve)
            seen(event.object, event.type === 'DELETED')
          }
        }
        watching().catch(() => undefined)
      }
      see(resources.pods, { labelSelector }, (pod, isGone) => timeline.pod(pod, isGone, clock.now()))
      const own = { fieldSelector: `metadata.name=${this.#name}` }
      see(this.#type, own, (workload) => timeline.workload(workload as Workload, clock.now()))
      see(policyType, {}, (object) => {
        const policy = object as RolloutPolicy
        timeline.policy(policy, clock.now())
        this.#answer(policy, fail)
        const ledger = policy.status?.rollout
        // What is to be taken back goes on with another rollout.
        if (ledger?.endedAt !== undefined && ledger.undo === undefined) clock.after(afterwards, resolve)
      })
    })
  }

  /** Every approval is given, unless its hook is chosen to fail. */
  #answer({ metadata, status }: RolloutPolicy, fail: ReadonlySet<string>): void {
    const { name: policy, annotations = {} } = metadata
    const ledger = status?.rollout
    if (ledger === undefined) return
    for (const { name: hook, state, attempts: attempt } of ledger.hooks) {
      const { action } = this.#subject.compiled.hooks.find(({ name }) => name === hook) ?? {}
      const annotation = approvalAnnotation({ lifecycle: ledger.id, hook, attempt })
      if (action?.kind !== 'approval' || state !== 'Running' || annotations[annotation] !== undefined) continue
      const value = { metadata: { annotations: { [annotation]: fail.has(hook) ? 'rejected' : 'approved' } } }
      const handle = this.#client.of(policyType)
      this.#runtime.clock.after(personTakes, () => {
        handle.patch(policy, { type: 'merge', value }, { namespace: this.#namespace }).catch(() => undefined)
      })
    }
  }
}

/** As if it had just been written: what a server added is left out. */
function bare<T extends KubeObject>({ metadata, ...object }: T, namespace: string): T {
  const { name, labels = {}, annotations = {} } = metadata
  const { status: _, ...rest } = object as { status?: unknown }
  const own = Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith('carabiner.dev/')))
  return { ...rest, metadata: { name, namespace, labels: own, annotations } } as unknown as T
}
