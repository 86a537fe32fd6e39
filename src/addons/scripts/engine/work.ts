/** What waits in the queues of script hooks: a cause for a run, the beginning of a hook's watches and schedules, or somebody's errand. */
import { type Cause, supersede as supersedeCause } from '../contexts/cause.ts'
import { groupOf } from '../contexts/contexts.ts'
import type { Hook } from '../hook.ts'
import type { Task } from '../queues/task.ts'
import type { Errand } from './errand.ts'

export type Work =
  | Cause
  | { readonly kind: 'enable-kubernetes' }
  | { readonly kind: 'enable-schedules' }
  | { readonly kind: 'errand'; readonly errand: Errand }

export type HookTask = Task<Work>

export function supersede(earlier: Work, later: Work): Work | undefined {
  return isCause(earlier) && isCause(later) ? supersedeCause(earlier, later) : undefined
}

function isCause(work: Work): work is Cause {
  return work.kind !== 'enable-kubernetes' && work.kind !== 'enable-schedules' && work.kind !== 'errand'
}

export function enablingTask(id: string, hook: Hook, kind: 'enable-kubernetes' | 'enable-schedules'): HookTask {
  const type = kind === 'enable-kubernetes' ? 'EnableKubernetesBindings' : 'EnableScheduleBindings'
  const common = { id, hook: hook.name, type, bindingType: '', binding: '' } as const
  return { ...common, cause: { kind }, isMergeable: false, allowFailure: false }
}

export function runTask(id: string, hook: Hook, cause: Cause): HookTask {
  const common = { id, hook: hook.name, type: 'HookRun', cause } as const
  if (cause.kind === 'startup') {
    return { ...common, bindingType: 'onStartup', binding: 'onStartup', isMergeable: false, allowFailure: false }
  }
  if (cause.kind === 'order') {
    const { order } = cause
    return { ...common, bindingType: order, binding: order, isMergeable: false, allowFailure: false }
  }
  const { name, allowFailure } = cause.binding
  const subject = subjectOf(hook, cause)
  return {
    ...common,
    bindingType: cause.kind === 'schedule' ? 'schedule' : kubernetesWord(hook),
    binding: name,
    // A Synchronization by itself tells everything there is: whatever came with it would come twice.
    isMergeable: hook.config.version === 'v1' && (cause.kind !== 'synchronization' || groupOf(cause) !== undefined),
    allowFailure,
    ...(subject === undefined ? {} : { subject }),
  }
}

export function errandTask(id: string, errand: Errand): HookTask {
  const { type, name: hook, binding = '' } = errand
  const common = { id, hook, type, bindingType: binding, binding, isMergeable: false, allowFailure: false }
  return { ...common, cause: { kind: 'errand', errand } }
}

function kubernetesWord(hook: Hook): string {
  return hook.config.version === 'v0' ? 'onKubernetesEvent' : 'kubernetes'
}

/** Two causes with one subject differ at most in what they tell of the same object. */
function subjectOf({ config }: Hook, cause: Exclude<Cause, { kind: 'startup' | 'order' }>): string | undefined {
  const group = groupOf(cause)
  if (cause.kind === 'synchronization') return undefined
  if (group !== undefined) return `group ${group}`
  if (cause.kind === 'schedule') return `schedule ${config.schedules.indexOf(cause.binding)}`
  return `object ${config.kubernetes.indexOf(cause.binding)} ${cause.event.seen.key}`
}
