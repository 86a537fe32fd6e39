/** The call of a hook with the action `http`: what its owner wrote, and facts of the rollout where he wrote no body. */
import type { HttpCall } from '../../hooks/executors/http.ts'
import type { Run } from '../../hooks/run.ts'
import type { HookContext } from '../engine/decision.ts'
import type { HttpAction, RolloutPolicy } from '../policy/types.ts'

export function httpCallOf(policy: RolloutPolicy, run: Run, action: HttpAction, context: HookContext): HttpCall {
  const { kind, name, namespace } = run.subject
  const facts = {
    policy: policy.metadata.name,
    namespace,
    workload: { kind, name },
    rollout: context.rollout,
    type: context.type,
    from: context.from,
    to: context.to,
    hook: run.hook,
    point: run.point,
    attempt: run.attempt,
  }
  return { ...action, body: action.body ?? JSON.stringify(facts) }
}
