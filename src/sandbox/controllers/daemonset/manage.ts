/** Keeps one pod on every eligible node, none on others, and replaces failed pods. */

import type { DaemonSet, Node, Pod } from '../../../kube/kinds/index.ts'
import { append, type Instant } from '../../../runtime/index.ts'
import { type EventWrite, event } from '../decisions/decision.ts'
import { revisionHashLabel } from '../history/revisions.ts'
import { isAvailable, isReady } from '../pods/state.ts'
import { byAgeAndBinding, type Fit, fitOf, podsByNode } from './nodes.ts'

export interface DaemonWorld {
  readonly set: DaemonSet
  /** Sorted by name. */
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  /** Revision hash of the current template. */
  readonly hash: string
  /** Milliseconds until a failed pod of this node can be replaced. */
  readonly backOff: (node: string) => number
}

export interface DaemonChange {
  /** Nodes for which a pod is created. */
  readonly create: readonly string[]
  readonly remove: readonly Pod[]
  readonly events: readonly EventWrite[]
  /** Nodes whose failed pod is deleted, to record the failure for the back-off. */
  readonly failed: readonly string[]
  readonly requeueAfterMs?: number
}

export const noChange: DaemonChange = { create: [], remove: [], events: [], failed: [] }

export function allowsSurge(set: DaemonSet): boolean {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {}
  const surge = rollingUpdate?.maxSurge
  return type !== 'OnDelete' && surge !== undefined && surge !== 0 && surge !== '0%'
}

/** With maxSurge, an old and a new pod can share a node until the new one is available. */
function surplusWithSurge({ set, hash }: DaemonWorld, running: readonly Pod[], now: Instant): readonly Pod[] {
  const remove: Pod[] = []
  let newest: Pod | undefined
  let oldest: Pod | undefined
  for (const pod of running) {
    const isUpdatedPod = pod.metadata.labels?.[revisionHashLabel] === hash
    if (isUpdatedPod && newest === undefined) newest = pod
    else if (!isUpdatedPod && oldest === undefined) oldest = pod
    else remove.push(pod)
  }
  if (newest !== undefined && oldest !== undefined) {
    if (!isReady(oldest) || isAvailable(newest, set.spec.minReadySeconds ?? 0, now)) remove.push(oldest)
  }
  return remove
}

class ChangeBuilder {
  readonly create: string[] = []
  readonly remove: Pod[] = []
  readonly events: EventWrite[] = []
  readonly failed: string[] = []
  requeueAfterMs: number | undefined
  readonly #world: DaemonWorld
  readonly #now: Instant

  constructor(world: DaemonWorld, now: Instant) {
    this.#world = world
    this.#now = now
  }

  keepOnePod(node: Node, pods: readonly Pod[], { shouldRun }: Pick<Fit, 'shouldRun'>): void {
    const running: Pod[] = []
    for (const pod of pods) {
      if (pod.metadata.deletionTimestamp !== undefined) continue
      if (pod.status?.phase === 'Failed') this.#failed(node, pod)
      else if (pod.status?.phase === 'Succeeded') this.#succeeded(node, pod)
      else running.push(pod)
    }
    running.sort(byAgeAndBinding)
    if (!allowsSurge(this.#world.set)) append(this.remove, running.slice(1))
    else if (running.length > 1) append(this.remove, surplusWithSurge(this.#world, running, this.#now))
    else if (running.length === 0 && shouldRun) this.create.push(node.metadata.name)
  }

  #failed(node: Node, pod: Pod): void {
    const { name, namespace } = pod.metadata
    const left = this.#world.backOff(node.metadata.name)
    if (left > 0) {
      this.requeueAfterMs = Math.min(left, this.requeueAfterMs ?? left)
      return
    }
    const message = `Found failed daemon pod ${namespace}/${name} on node ${node.metadata.name}, will try to kill it`
    this.events.push(event(this.#world.set, 'Warning', 'FailedDaemonPod', message))
    this.failed.push(node.metadata.name)
    this.remove.push(pod)
  }

  #succeeded(node: Node, pod: Pod): void {
    const { name, namespace } = pod.metadata
    const message = `Found succeeded daemon pod ${namespace}/${name} on node ${node.metadata.name}, will try to delete it`
    this.events.push(event(this.#world.set, 'Normal', 'SucceededDaemonPod', message))
    this.remove.push(pod)
  }

  get change(): DaemonChange {
    const { create, remove, events, failed, requeueAfterMs } = this
    return { create, remove, events, failed, ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) }
  }
}

export function manage(world: DaemonWorld, now: Instant): DaemonChange {
  const builder = new ChangeBuilder(world, now)
  const byNode = podsByNode(world.pods)
  for (const node of world.nodes) {
    const pods = byNode.get(node.metadata.name)
    const { shouldRun, shouldContinueRunning } = fitOf(world.set, node)
    if (shouldRun && pods === undefined) builder.create.push(node.metadata.name)
    else if (shouldContinueRunning) builder.keepOnePod(node, pods ?? [], { shouldRun })
    else
      append(
        builder.remove,
        (pods ?? []).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      )
  }
  const known = new Set(world.nodes.map(({ metadata }) => metadata.name))
  // Unbound pods of nodes that no longer exist.
  for (const [node, pods] of byNode) {
    if (!known.has(node))
      append(
        builder.remove,
        pods.filter(({ spec }) => !spec.nodeName),
      )
  }
  return builder.change
}
