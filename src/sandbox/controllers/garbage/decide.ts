/**
 * What the collector does about one object: nothing, delete it, take owner references away, or let its own deletion go on.
 */
import type { OwnerReference } from '../../../kube/object.ts'
import { foregroundFinalizer, type Graph, type Item, isDeletingDependents, orphanFinalizer } from './graph.ts'

export type Propagation = 'Orphan' | 'Background' | 'Foreground'

export type Verdict =
  | { readonly do: 'nothing' }
  /** Owners that are in no cache: ask the server whether they exist, then decide again. */
  | { readonly do: 'ask'; readonly owners: readonly OwnerReference[] }
  | { readonly do: 'delete'; readonly propagation: Propagation; readonly unblock: boolean }
  | { readonly do: 'dropOwners'; readonly uids: readonly string[] }
  | { readonly do: 'removeFinalizer'; readonly finalizer: string }
  /** Look at these first: they keep the object from going. */
  | { readonly do: 'visit'; readonly uids: readonly string[] }
  | { readonly do: 'orphan'; readonly dependents: readonly Item[] }

const nothing: Verdict = { do: 'nothing' }

function blocks(dependent: Item, owner: string): boolean {
  return dependent.owners.some(({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true)
}

function foreground(item: Item, graph: Graph): Verdict {
  const blocking = graph.dependentsOf(item.uid).filter((dependent) => blocks(dependent, item.uid))
  if (blocking.length === 0) return { do: 'removeFinalizer', finalizer: foregroundFinalizer }
  return { do: 'visit', uids: blocking.filter((dependent) => !isDeletingDependents(dependent)).map(({ uid }) => uid) }
}

/** `absent` holds the uids of owners that the server is known not to have. */
export function decideGarbage(item: Item, graph: Graph, absent: ReadonlySet<string>): Verdict {
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
    // A dependent that waits for its own dependents could wait for us: we stop blocking our owners.
    return { do: 'delete', propagation: 'Foreground', unblock: dependents.some(isDeletingDependents) }
  }
  if (item.finalizers.includes(orphanFinalizer)) return { do: 'delete', propagation: 'Orphan', unblock: false }
  const propagation = item.finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background'
  return { do: 'delete', propagation, unblock: false }
}
