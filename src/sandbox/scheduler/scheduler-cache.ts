/** The pods and requests per node, updated incrementally, so that scheduling a pod does not count all others again. */
import type { Pod } from '../../kube/kinds/index.ts'
import { type Amounts, requestsOf, scoringRequests } from './requests.ts'

export interface NodeUsage {
  readonly pods: ReadonlyMap<string, Pod>
  readonly requested: Amounts
  /** Requests with a default for containers without requests. */
  readonly scored: { readonly cpu: number; readonly memory: number }
}

interface MutableNodeUsage {
  readonly pods: Map<string, Pod>
  readonly requested: Map<string, number>
  scored: { cpu: number; memory: number }
}

export class SchedulerCache {
  readonly #usages = new Map<string, MutableNodeUsage>()
  readonly #nodes = new Map<string, string>()

  /** Adds the pod to the node; adding it again moves it. */
  put(uid: string, pod: Pod, node: string): void {
    this.remove(uid)
    let usage = this.#usages.get(node)
    if (usage === undefined) {
      usage = { pods: new Map(), requested: new Map(), scored: { cpu: 0, memory: 0 } }
      this.#usages.set(node, usage)
    }
    usage.pods.set(uid, pod)
    this.#nodes.set(uid, node)
    this.#add(usage, pod, 1)
  }

  remove(uid: string): void {
    const usage = this.#usages.get(this.#nodes.get(uid) ?? '')
    const pod = usage?.pods.get(uid)
    if (usage === undefined || pod === undefined) return
    usage.pods.delete(uid)
    this.#nodes.delete(uid)
    this.#add(usage, pod, -1)
  }

  has(uid: string): boolean {
    return this.#nodes.has(uid)
  }

  on(node: string): NodeUsage {
    return this.#usages.get(node) ?? { pods: new Map(), requested: new Map(), scored: { cpu: 0, memory: 0 } }
  }

  #add(usage: MutableNodeUsage, pod: Pod, sign: 1 | -1): void {
    for (const [name, amount] of requestsOf(pod)) {
      usage.requested.set(name, (usage.requested.get(name) ?? 0) + sign * amount)
    }
    const { cpu, memory } = scoringRequests(pod)
    usage.scored = { cpu: usage.scored.cpu + sign * cpu, memory: usage.scored.memory + sign * memory }
  }
}
