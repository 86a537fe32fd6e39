/**
 * The namespace controller: a namespace being deleted is emptied, pods first, and let go when nothing is left.
 */
import type { KubeObject, ResourceType } from '../../../kube/object.ts'
import { resources } from '../../../kube/types.ts'
import type { Namespace } from '../../kinds/cluster.ts'
import { type Again, type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { refusalOf } from '../pods/control.ts'
import { statusChanged } from '../replicaset/decide.ts'
import { namespaceConditions, type Remainder } from './decide.ts'

const finalizer = 'kubernetes'

/** Between two looks at a namespace that still has content. */
const lookAgainAfter = 500

export function namespaceController({ client, informers, runtime }: ControllerContext): Controller {
  const namespaces = informers.of<Namespace>(resources.namespaces)

  async function typesToEmpty(): Promise<readonly ResourceType[]> {
    client.discovery.refresh()
    const seen = new Set<string>()
    const types: ResourceType[] = []
    for (const type of await client.discovery.catalog()) {
      const name = `${type.resource}.${type.group}`
      const deletable = type.namespaced && type.verbs.includes('list') && type.verbs.includes('delete')
      if (!deletable || seen.has(name)) continue
      seen.add(name)
      types.push(type)
    }
    return types
  }

  async function empty(type: ResourceType, namespace: string): Promise<Remainder | undefined> {
    const handle = client.of(type)
    const { items } = await handle.list({ namespace })
    if (items.length === 0) return undefined
    if (items.some(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      await handle.deleteCollection({ namespace, propagationPolicy: 'Background' })
    }
    return remainderOf(type, (await handle.list({ namespace })).items)
  }

  async function emptyAll(types: readonly ResourceType[], namespace: string) {
    const remainders: Remainder[] = []
    const failures: string[] = []
    for (const type of types) {
      try {
        const left = await empty(type, namespace)
        if (left !== undefined && left.count > 0) remainders.push(left)
      } catch (error) {
        failures.push(refusalOf(error))
      }
    }
    return { remainders, failures }
  }

  async function content(namespace: string) {
    const types = await typesToEmpty()
    const isPod = ({ resource, group }: ResourceType) => resource === 'pods' && group === ''
    // Pods first: what they need, such as policies and secrets, stays until they are gone.
    const pods = await emptyAll(types.filter(isPod), namespace)
    if (pods.remainders.length + pods.failures.length > 0) return pods
    return emptyAll(
      types.filter((type) => !isPod(type)),
      namespace,
    )
  }

  async function finalize(namespace: Namespace): Promise<void> {
    const finalizers = (namespace.spec?.finalizers ?? []).filter((other) => other !== finalizer)
    const fresh = await client.of<Namespace>(resources.namespaces).get(namespace.metadata.name)
    await client
      .of<Namespace>(resources.namespaces)
      .update({ ...fresh, spec: { ...fresh.spec, finalizers } }, { subresource: 'finalize' })
  }

  return {
    name: 'namespace-controller',
    workers: 10,
    watch: (enqueue) => enqueueAll(namespaces, enqueue),
    async sync(key): Promise<Again | undefined> {
      const namespace = namespaces.get(key)
      if (namespace?.metadata.deletionTimestamp === undefined) return undefined
      if (!(namespace.spec?.finalizers ?? []).includes(finalizer)) return undefined
      const { remainders, failures } = await content(key)
      const conditions = namespaceConditions(
        namespace.status?.conditions ?? [],
        remainders,
        failures,
        runtime.clock.now(),
      )
      const status = { ...namespace.status, phase: 'Terminating', conditions }
      if (statusChanged(namespace.status, status)) {
        await client.of<Namespace>(resources.namespaces).update({ ...namespace, status }, { subresource: 'status' })
      }
      if (remainders.length + failures.length > 0) return { wakeAfter: lookAgainAfter }
      await finalize(namespace)
      return undefined
    },
  }
}

function remainderOf({ resource, group }: ResourceType, items: readonly KubeObject[]): Remainder {
  const finalizers = new Map<string, number>()
  for (const { metadata } of items) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
  }
  return { resource: `${resource}.${group}`, count: items.length, finalizers }
}
