/** Why a hook runs. Each cause becomes one binding context; its content is determined when the run begins. */
import type { KubernetesBinding, OrderBinding, ScheduleBinding } from '../config/types.ts'
import type { ObjectEvent } from '../watching/monitor.ts'

export type Cause =
  | { readonly kind: 'startup' }
  /** A binding around modules, such as beforeHelm. */
  | { readonly kind: 'order'; readonly order: OrderBinding }
  | { readonly kind: 'schedule'; readonly binding: ScheduleBinding }
  | { readonly kind: 'synchronization'; readonly binding: KubernetesBinding }
  | { readonly kind: 'event'; readonly binding: KubernetesBinding; readonly event: ObjectEvent }

/** Merges two causes about the same object; undefined when the hook must get both. */
export function supersede(earlier: Cause, later: Cause): Cause | undefined {
  if (earlier.kind !== 'event' || later.kind !== 'event') return later
  const [before, after] = [earlier.event.watchEvent, later.event.watchEvent]
  // Deleted and Added stay separate, because it is another object of the same name; Added and Modified stay Added for the hook.
  if (before === 'Deleted') return after === 'Deleted' ? later : undefined
  if (before === 'Added' && after === 'Modified') return { ...later, event: { ...later.event, watchEvent: 'Added' } }
  return later
}
