/**
 * The namespace controller: deletes the content of a terminating namespace, pods first, and finalizes the namespace
 * when it is empty.
 */

import type { ReconcileResult } from '../../../kube/controller/index.ts'
import type { KubeObject, ResourceType } from '../../../kube/index.ts'
import { type Namespace, resources } from '../../../kube/kinds/index.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { apiErrorMessage } from '../pods/control.ts'
import { statusChanged } from '../replicaset/decide.ts'
import { namespaceConditions, type RemainingContent } from './decide.ts'

const finalizer = 'kubernetes'

/** Interval at which a namespace with remaining content is checked. */
const contentCheckIntervalMs = 500

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

  async function empty(type: ResourceType, namespace: string): Promise<RemainingContent | undefined> {
    const handle = client.of(type)
    const { items } = await handle.list({ namespace })
    if (items.length === 0) return undefined
    if (items.some(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      await handle.deleteCollection({ namespace, propagationPolicy: 'Background' })
    }
    return remainderOf(type, (await handle.list({ namespace })).items)
  }

  async function emptyAll(types: readonly ResourceType[], namespace: string) {
    const remainders: RemainingContent[] = []
    const failures: string[] = []
    for (const type of types) {
      try {
        const left = await empty(type, namespace)
        if (left !== undefined && left.count > 0) remainders.push(left)
      } catch (error) {
        failures.push(apiErrorMessage(error))
      }
    }
    return { remainders, failures }
  }

  async function content(namespace: string) {
    const types = await typesToEmpty()
    const isPod = ({ resource, group }: ResourceType) => resource === 'pods' && group === ''
    // Pods first: objects they need, such as policies and Secrets, must exist until the pods are deleted.
    const pods = await emptyAll(types.filter(isPod), namespace)
    if (pods.remainders.length + pods.failures.length > 0) return pods
    return emptyAll(
      types.filter((type) => !isPod(type)),
      namespace,
    )
  }

  async function finalize(namespace: Namespace): Promise<void> {
    const finalizers = (namespace.spec?.finalizers ?? []).filter((other) => other !== finalizer)
    const fresh = await client.of(resources.namespaces).get(namespace.metadata.name)
    await client
      .of(resources.namespaces)
      .update({ ...fresh, spec: { ...fresh.spec, finalizers } }, { subresource: 'finalize' })
  }

  return {
    name: 'namespace-controller',
    workers: 10,
    watch: (enqueue) => enqueueAll(namespaces, enqueue),
    async sync(key): Promise<ReconcileResult | undefined> {
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
        await client.of(resources.namespaces).update({ ...namespace, status }, { subresource: 'status' })
      }
      if (remainders.length + failures.length > 0) return { requeueAfterMs: contentCheckIntervalMs }
      await finalize(namespace)
      return undefined
    },
  }
}

function remainderOf({ resource, group }: ResourceType, items: readonly KubeObject[]): RemainingContent {
  const finalizers = new Map<string, number>()
  for (const { metadata } of items) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
  }
  return { resource: `${resource}.${group}`, count: items.length, finalizers }
}
