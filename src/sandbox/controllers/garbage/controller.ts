/**
 * The garbage collector's loop: follows every object, and carries out what is decided about those that lost an owner.
 */
import type { ResourceClient } from '../../../kube/client/client.ts'
import { isNotFound } from '../../../kube/errors.ts'
import type { KubeObject, OwnerReference } from '../../../kube/object.ts'
import type { Again, Controller, ControllerContext, Enqueue } from '../loop/controller.ts'
import { Census, type Scope } from './census.ts'
import { decideGarbage, type Verdict } from './decide.ts'
import { Graph, type Item, isDeletingDependents, itemOf, orphanFinalizer } from './graph.ts'

const mostAbsent = 5_000

export function garbageCollector(context: ControllerContext, among: Scope = 'all kinds'): Controller {
  const { client } = context
  const graph = new Graph()
  /** Owners the server is known not to have: uids never come back. Forgetting one costs a question. */
  const absent = new Set<string>()
  const noteAbsent = (uid: string) => {
    if (absent.size >= mostAbsent) absent.clear()
    absent.add(uid)
  }

  const handleOf = (item: Item): ResourceClient => client.of(item.type)
  const at = ({ namespace }: Item) => (namespace === undefined ? {} : { namespace })

  function visitOwners(item: Item, enqueue: Enqueue): void {
    for (const { uid } of item.owners) {
      const owner = graph.get(uid)
      if (owner !== undefined && isDeletingDependents(owner)) enqueue(uid)
    }
  }

  function gone(item: Item, enqueue: Enqueue): void {
    graph.remove(item.uid)
    for (const dependent of graph.dependentsOf(item.uid)) {
      noteAbsent(item.uid)
      enqueue(dependent.uid)
    }
    visitOwners(item, enqueue)
  }

  function seen(item: Item, before: Item | undefined, enqueue: Enqueue): void {
    graph.put(item)
    if (item.deleting) {
      enqueue(item.uid)
      if (isDeletingDependents(item)) for (const { uid } of graph.dependentsOf(item.uid)) enqueue(uid)
    }
    const lost = item.owners.some(({ uid }) => graph.get(uid) === undefined)
    if (lost && (before === undefined || before.owners !== item.owners)) enqueue(item.uid)
    visitOwners(before ?? item, enqueue)
    visitOwners(item, enqueue)
  }

  async function exists({ apiVersion, kind, name, uid }: OwnerReference, dependent: Item): Promise<boolean> {
    const owners = await client.find(apiVersion, kind)
    try {
      const scope = owners.type.namespaced ? at(dependent) : {}
      return (await owners.get(name, scope)).metadata.uid === uid
    } catch (error) {
      if (isNotFound(error)) return false
      throw error
    }
  }

  async function patchOwners(item: Item, owners: readonly OwnerReference[]): Promise<void> {
    const metadata = { uid: item.uid, ownerReferences: owners.length === 0 ? null : owners }
    try {
      await handleOf(item).patch(item.name, { type: 'merge', value: { metadata } }, at(item))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  const withoutOwners = (item: Item, uids: readonly string[]) => item.owners.filter(({ uid }) => !uids.includes(uid))

  async function removeFinalizer(item: Item, finalizer: string): Promise<void> {
    const handle = handleOf(item)
    const current: KubeObject = await handle.get(item.name, at(item))
    if (current.metadata.uid !== item.uid) return
    const { finalizers = [], resourceVersion } = current.metadata
    if (!finalizers.includes(finalizer)) return
    const value = { metadata: { resourceVersion, finalizers: finalizers.filter((other) => other !== finalizer) } }
    await handle.patch(item.name, { type: 'merge', value }, at(item))
  }

  async function carryOut(item: Item, verdict: Verdict, enqueue: Enqueue): Promise<Again | undefined> {
    switch (verdict.do) {
      case 'nothing':
        return undefined
      case 'ask': {
        for (const owner of verdict.owners) {
          if (!(await exists(owner, item))) noteAbsent(owner.uid)
          // It exists, only our cache is behind: whoever deletes it later will bring us back.
          else if (graph.get(owner.uid) === undefined) return { wakeAfter: 1_000 }
        }
        return act(item.uid, enqueue)
      }
      case 'delete': {
        if (verdict.unblock) {
          await patchOwners(
            item,
            item.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
          )
        }
        await handleOf(item).delete(item.name, {
          ...at(item),
          propagationPolicy: verdict.propagation,
          preconditions: { uid: item.uid, ...(verdict.unblock ? {} : { resourceVersion: item.version }) },
        })
        return undefined
      }
      case 'dropOwners':
        await patchOwners(item, withoutOwners(item, verdict.uids))
        return undefined
      case 'removeFinalizer':
        await removeFinalizer(item, verdict.finalizer)
        return undefined
      case 'visit':
        for (const uid of verdict.uids) enqueue(uid)
        return undefined
      case 'orphan':
        await Promise.all(
          verdict.dependents.map((dependent) => patchOwners(dependent, withoutOwners(dependent, [item.uid]))),
        )
        await removeFinalizer(item, orphanFinalizer)
        return undefined
    }
  }

  async function act(uid: string, enqueue: Enqueue): Promise<Again | undefined> {
    const item = graph.get(uid)
    if (item === undefined) return undefined
    return carryOut(item, decideGarbage(item, graph, absent), enqueue)
  }

  let queue: Enqueue | undefined
  const census = new Census(context, among, (type, change) => {
    if (queue === undefined) return
    if (change.type === 'deleted') {
      gone(itemOf(type, change.previous), queue)
      return
    }
    const item = itemOf(type, change.value)
    const before = graph.get(item.uid)
    // A new object under an old name: the old one is gone.
    if (change.type === 'updated' && change.previous.metadata.uid !== item.uid)
      gone(itemOf(type, change.previous), queue)
    seen(item, before, queue)
  })
  return {
    name: 'garbage-collector',
    workers: 20,
    watch(enqueue) {
      queue = enqueue
      census.start()
    },
    async sync(uid) {
      if (queue === undefined) return undefined
      try {
        return await act(uid, queue)
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    },
  }
}
