/** The reconcile loop of the garbage collector: watches every object and acts on those that lost an owner. */

import type { ReconcileResult } from '../../../kube/controller/index.ts'
import { isNotFound, type KubeObject, type OwnerReference, type ResourceClient } from '../../../kube/index.ts'
import type { Controller, ControllerContext, Enqueue } from '../loop/controller.ts'
import { decideGarbage, type GarbageDecision } from './decide.ts'
import { Graph, type Item, isDeletingDependents, itemOf, orphanFinalizer } from './graph.ts'
import { type MonitorScope, ResourceMonitors } from './resource-monitors.ts'

const maxAbsentOwners = 5_000

export function garbageCollector(context: ControllerContext, scope: MonitorScope = 'all kinds'): Controller {
  const { client } = context
  const graph = new Graph()
  /** Uids of owners that do not exist. Uids are never reused; dropping one costs a request. */
  const absent = new Set<string>()
  const addAbsent = (uid: string) => {
    if (absent.size >= maxAbsentOwners) absent.clear()
    absent.add(uid)
  }

  const handleOf = (item: Item): ResourceClient => client.of(item.type)
  const at = ({ namespace }: Item) => (namespace === undefined ? {} : { namespace })

  function enqueueOwnersInDeletion(item: Item, enqueue: Enqueue): void {
    for (const { uid } of item.owners) {
      const owner = graph.get(uid)
      if (owner !== undefined && isDeletingDependents(owner)) enqueue(uid)
    }
  }

  function onDeleted(item: Item, enqueue: Enqueue): void {
    graph.remove(item.uid)
    for (const dependent of graph.dependentsOf(item.uid)) {
      addAbsent(item.uid)
      enqueue(dependent.uid)
    }
    enqueueOwnersInDeletion(item, enqueue)
  }

  function onChanged(item: Item, before: Item | undefined, enqueue: Enqueue): void {
    graph.put(item)
    if (item.deleting) {
      enqueue(item.uid)
      if (isDeletingDependents(item)) for (const { uid } of graph.dependentsOf(item.uid)) enqueue(uid)
    }
    const lost = item.owners.some(({ uid }) => graph.get(uid) === undefined)
    if (lost && (before === undefined || before.owners !== item.owners)) enqueue(item.uid)
    enqueueOwnersInDeletion(before ?? item, enqueue)
    enqueueOwnersInDeletion(item, enqueue)
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

  async function carryOut(
    item: Item,
    decision: GarbageDecision,
    enqueue: Enqueue,
  ): Promise<ReconcileResult | undefined> {
    switch (decision.do) {
      case 'nothing':
        return undefined
      case 'ask': {
        for (const owner of decision.owners) {
          if (!(await exists(owner, item))) addAbsent(owner.uid)
          // The owner exists but is not in the cache yet; its deletion will enqueue this object again.
          else if (graph.get(owner.uid) === undefined) return { requeueAfterMs: 1_000 }
        }
        return act(item.uid, enqueue)
      }
      case 'delete': {
        if (decision.unblock) {
          await patchOwners(
            item,
            item.owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
          )
        }
        await handleOf(item).delete(item.name, {
          ...at(item),
          propagationPolicy: decision.propagation,
          preconditions: { uid: item.uid, ...(decision.unblock ? {} : { resourceVersion: item.version }) },
        })
        return undefined
      }
      case 'dropOwners':
        await patchOwners(item, withoutOwners(item, decision.uids))
        return undefined
      case 'removeFinalizer':
        await removeFinalizer(item, decision.finalizer)
        return undefined
      case 'visit':
        for (const uid of decision.uids) enqueue(uid)
        return undefined
      case 'orphan':
        await Promise.all(
          decision.dependents.map((dependent) => patchOwners(dependent, withoutOwners(dependent, [item.uid]))),
        )
        await removeFinalizer(item, orphanFinalizer)
        return undefined
    }
  }

  async function act(uid: string, enqueue: Enqueue): Promise<ReconcileResult | undefined> {
    const item = graph.get(uid)
    if (item === undefined) return undefined
    return carryOut(item, decideGarbage(item, graph, absent), enqueue)
  }

  let queue: Enqueue | undefined
  const monitors = new ResourceMonitors(context, scope, (type, change) => {
    if (queue === undefined) return
    if (change.type === 'deleted') {
      onDeleted(itemOf(type, change.previous), queue)
      return
    }
    const item = itemOf(type, change.value)
    const before = graph.get(item.uid)
    // A new uid under the same name means that the old object was deleted.
    if (change.type === 'updated' && change.previous.metadata.uid !== item.uid)
      onDeleted(itemOf(type, change.previous), queue)
    onChanged(item, before, queue)
  })
  return {
    name: 'garbage-collector',
    workers: 20,
    watch(enqueue) {
      queue = enqueue
      monitors.start()
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
