/** The tasks in the queues of script hooks: a run for a cause, enabling the bindings of a hook, or a job of modules. */
import { type Cause, supersede as supersedeCause } from '../contexts/cause.ts'
import { groupOf } from '../contexts/contexts.ts'
import type { Hook } from '../hook.ts'
import type { Task } from '../queues/task.ts'
import type { SeenObject } from '../watching/monitor.ts'
import type { QueueJob } from './queue-job.ts'

export type Work =
  | Cause
  | { readonly kind: 'enable-kubernetes' }
  | { readonly kind: 'enable-schedules' }
  | { readonly kind: 'job'; readonly job: QueueJob }

export type HookTask = Task<Work>

export function supersede(earlier: Work, later: Work): Work | undefined {
  return isCause(earlier) && isCause(later) ? supersedeCause(earlier, later) : undefined
}

function isCause(work: Work): work is Cause {
  return work.kind !== 'enable-kubernetes' && work.kind !== 'enable-schedules' && work.kind !== 'job'
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
  // Written out: built by spreading other objects, each of maybe 100,000 waiting tasks takes 350 bytes more.
  return {
    id,
    hook: hook.name,
    type: 'HookRun',
    cause,
    bindingType: cause.kind === 'schedule' ? 'schedule' : kubernetesBindingType(hook),
    binding: name,
    // A Synchronization contains all objects, so merged events would be duplicates.
    isMergeable: hook.config.version === 'v1' && (cause.kind !== 'synchronization' || groupOf(cause) !== undefined),
    allowFailure,
    subject,
    bytes: cause.kind === 'event' ? sizeOf(cause.event.seen) : 0,
  }
}

function sizeOf({ result, whole }: SeenObject): number {
  return (result?.length ?? 0) + (whole?.length ?? 0)
}

export function jobTask(id: string, job: QueueJob): HookTask {
  const { type, name: hook, binding = '' } = job
  const common = { id, hook, type, bindingType: binding, binding, isMergeable: false, allowFailure: false }
  return { ...common, cause: { kind: 'job', job } }
}

function kubernetesBindingType(hook: Hook): string {
  return hook.config.version === 'v0' ? 'onKubernetesEvent' : 'kubernetes'
}

/** Causes with the same subject are about the same object, group or schedule and can be merged. */
function subjectOf({ config }: Hook, cause: Exclude<Cause, { kind: 'startup' | 'order' }>): string | undefined {
  const group = groupOf(cause)
  if (cause.kind === 'synchronization') return undefined
  if (group !== undefined) return `group ${group}`
  if (cause.kind === 'schedule') return `schedule ${config.schedules.indexOf(cause.binding)}`
  return `object ${config.kubernetes.indexOf(cause.binding)} ${cause.event.seen.key}`
}
