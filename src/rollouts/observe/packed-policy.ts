/**
 * A policy in a cache. Its ended rollouts are up to half of it; a rollout reads them when it begins and writes them with its ledger, but opens the
 * policy dozens of times. They stay text until they are read, so that a rollout costs the same after many as after none.
 */
import type { EndedRollout, RolloutPolicy } from '../policy/types.ts'
import { Packed, targetOf } from './packed.ts'

export class PackedPolicy extends Packed<RolloutPolicy> {
  readonly #history: string | undefined

  constructor(policy: RolloutPolicy) {
    const { history, ...status } = policy.status ?? {}
    const { kind, name } = policy.spec.targetRef
    const target = targetOf(kind, policy.metadata.namespace, name)
    super(history === undefined ? policy : { ...policy, status }, target)
    this.#history = history && JSON.stringify(history)
  }

  override open(): RolloutPolicy {
    const policy = super.open()
    const text = this.#history
    if (text === undefined || policy.status === undefined) return policy
    Object.defineProperty(policy.status, 'history', {
      enumerable: true,
      get: () => JSON.parse(text) as readonly EndedRollout[],
    })
    return policy
  }
}
