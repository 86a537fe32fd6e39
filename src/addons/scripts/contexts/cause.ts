/**
 * Why a hook runs. One cause becomes one element of the binding contexts; what an element holds is decided only when the run begins.
 */
import type { KubernetesBinding, OrderBinding, ScheduleBinding } from '../config/types.ts'
import type { ObjectEvent } from '../watching/monitor.ts'

export type Cause =
  | { readonly kind: 'startup' }
  /** It is the hook's turn around modules. */
  | { readonly kind: 'order'; readonly order: OrderBinding }
  | { readonly kind: 'schedule'; readonly binding: ScheduleBinding }
  | { readonly kind: 'synchronization'; readonly binding: KubernetesBinding }
  | { readonly kind: 'event'; readonly binding: KubernetesBinding; readonly event: ObjectEvent }

/** What is left of two causes about the same thing, of which only the later can still be told; undefined when both must be. */
export function supersede(earlier: Cause, later: Cause): Cause | undefined {
  if (earlier.kind !== 'event' || later.kind !== 'event') return later
  const [before, after] = [earlier.event.watchEvent, later.event.watchEvent]
  // An object that was replaced by another of the same name has left; one that was new to the hook still is.
  if (before === 'Deleted') return after === 'Deleted' ? later : undefined
  if (before === 'Added' && after === 'Modified') return { ...later, event: { ...later.event, watchEvent: 'Added' } }
  return later
}
