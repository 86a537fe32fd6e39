/** The HTTP request of a hook: as its author wrote it, with facts of the rollout in place of `$(…)`, or as the body if there is none. */
import type { HttpCall, Run } from '../../hooks/index.ts'
import type { HttpAction, RolloutPolicy } from '../policy/types.ts'
import type { HookContext } from './hook-context.ts'

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
  const { workload, ...others } = facts
  const values = { ...others, 'workload.kind': workload.kind, 'workload.name': workload.name }
  return { ...action, body: action.body === undefined ? JSON.stringify(facts) : filled(action.body, values) }
}

/**
 * Expands `$(to)` as Kubernetes expands variables in container commands: `$$(to)` becomes `$(to)`, and an unknown name stays as it is. Values
 * are escaped for the inside of a JSON string, which changes nothing in names and points.
 */
export function filled(body: string, values: Readonly<Record<string, string | number | undefined>>): string {
  return body.replace(/\$(\$?)\(([a-z.]+)\)/g, (written, doubled: string, name: string) => {
    if (doubled !== '') return `$(${name})`
    return name in values ? JSON.stringify(String(values[name] ?? '')).slice(1, -1) : written
  })
}
