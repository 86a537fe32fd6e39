/**
 * Decides what the garbage collector does with one object: nothing, delete it, remove owner references, or continue its
 * deletion.
 */
import type { OwnerReference } from '../../../kube/index.ts'
import { foregroundFinalizer, type Graph, type Item, isDeletingDependents, orphanFinalizer } from './graph.ts'

export type Propagation = 'Orphan' | 'Background' | 'Foreground'

export type GarbageDecision =
  | { readonly do: 'nothing' }
  /** Owners that are not cached: look them up on the API server, then decide again. */
  | { readonly do: 'ask'; readonly owners: readonly OwnerReference[] }
  | { readonly do: 'delete'; readonly propagation: Propagation; readonly unblock: boolean }
  | { readonly do: 'dropOwners'; readonly uids: readonly string[] }
  | { readonly do: 'removeFinalizer'; readonly finalizer: string }
  /** Process these first: they block the deletion. */
  | { readonly do: 'visit'; readonly uids: readonly string[] }
  | { readonly do: 'orphan'; readonly dependents: readonly Item[] }

const nothing: GarbageDecision = { do: 'nothing' }

function blocks(dependent: Item, owner: string): boolean {
  return dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true)
}

function foreground(item: Item, graph: Graph): GarbageDecision {
  const blocking = graph.dependentsOf(item.uid).filter((dependent) => blocks(dependent, item.uid))
  if (blocking.length === 0) return { do: 'removeFinalizer', finalizer: foregroundFinalizer }
  return { do: 'visit', uids: blocking.filter((dependent) => !isDeletingDependents(dependent)).map(({ uid }) => uid) }
}

/** `absent` contains uids of owners that do not exist. */
export function decideGarbage(item: Item, graph: Graph, absent: ReadonlySet<string>): GarbageDecision {
  if (isDeletingDependents(item)) return foreground(item, graph)
  if (item.deleting) {
    const orphaning = item.finalizers.includes(orphanFinalizer)
    return orphaning ? { do: 'orphan', dependents: graph.dependentsOf(item.uid) } : nothing
  }
  if (item.owners.length === 0) return nothing
  const unknown = item.owners.filter(({ uid }) => graph.get(uid) === undefined && !absent.has(uid))
  if (unknown.length > 0) return { do: 'ask', owners: unknown }
  const solid: string[] = []
  const waiting: string[] = []
  const dangling: string[] = []
  for (const { uid } of item.owners) {
    const owner = graph.get(uid)
    if (owner === undefined) dangling.push(uid)
    else if (isDeletingDependents(owner)) waiting.push(uid)
    else solid.push(uid)
  }
  if (solid.length > 0) {
    const uids = [...dangling, ...waiting]
    return uids.length === 0 ? nothing : { do: 'dropOwners', uids }
  }
  const dependents = graph.dependentsOf(item.uid)
  if (waiting.length > 0 && dependents.length > 0) {
    // A dependent in foreground deletion could wait for this object, so the object must stop blocking its owners.
    return { do: 'delete', propagation: 'Foreground', unblock: dependents.some(isDeletingDependents) }
  }
  if (item.finalizers.includes(orphanFinalizer)) return { do: 'delete', propagation: 'Orphan', unblock: false }
  const propagation = item.finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
  return { do: 'delete', propagation, unblock: false }
}
