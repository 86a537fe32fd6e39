/**
 * What runs where, kept up to date pod by pod, so that placing a pod does not count all others anew.
 */
import type { Pod } from '../kinds/pod.ts'
import { type Amounts, requestsOf, scoringRequests } from './requests.ts'

export interface Load {
  readonly pods: ReadonlyMap<string, Pod>
  readonly requested: Amounts
  /** With something assumed for containers that ask for nothing. */
  readonly scored: { readonly cpu: number; readonly memory: number }
}

interface Account {
  readonly pods: Map<string, Pod>
  readonly requested: Map<string, number>
  scored: { cpu: number; memory: number }
}

export class Ledger {
  readonly #accounts = new Map<string, Account>()
  readonly #places = new Map<string, string>()

  /** Books the pod on the node; booking again moves it. */
  put(uid: string, pod: Pod, node: string): void {
    this.remove(uid)
    let account = this.#accounts.get(node)
    if (account === undefined) {
      account = { pods: new Map(), requested: new Map(), scored: { cpu: 0, memory: 0 } }
      this.#accounts.set(node, account)
    }
    account.pods.set(uid, pod)
    this.#places.set(uid, node)
    this.#book(account, pod, 1)
  }

  remove(uid: string): void {
    const account = this.#accounts.get(this.#places.get(uid) ?? '')
    const pod = account?.pods.get(uid)
    if (account === undefined || pod === undefined) return
    account.pods.delete(uid)
    this.#places.delete(uid)
    this.#book(account, pod, -1)
  }

  has(uid: string): boolean {
    return this.#places.has(uid)
  }

  on(node: string): Load {
    return this.#accounts.get(node) ?? { pods: new Map(), requested: new Map(), scored: { cpu: 0, memory: 0 } }
  }

  #book(account: Account, pod: Pod, sign: 1 | -1): void {
    for (const [name, amount] of requestsOf(pod)) {
      account.requested.set(name, (account.requested.get(name) ?? 0) + sign * amount)
    }
    const { cpu, memory } = scoringRequests(pod)
    account.scored = { cpu: account.scored.cpu + sign * cpu, memory: account.scored.memory + sign * memory }
  }
}
