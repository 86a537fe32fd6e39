/** Every namespace has a Context `default`, so that items need not name one. One that somebody changed or made himself stays as it is. */
import type { KubeClient } from '../../kube/client/client.ts'
import { runController } from '../../kube/controller/controller.ts'
import { source } from '../../kube/controller/source.ts'
import { isAlreadyExists, isNamespaceEnding, isNotFound } from '../../kube/errors.ts'
import type { KubeObject } from '../../kube/object.ts'
import { createWorkQueue } from '../../kube/queue/workqueue.ts'
import { createReflector } from '../../kube/reflector/reflector.ts'
import { resources } from '../../kube/types.ts'
import type { JsonObject } from '../../runtime/json.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { LandscaperCaches } from '../library/caches.ts'
import { apiVersion, type Context, landscaperResources } from '../resources/types.ts'

export interface DefaultContext {
  /** What new default Contexts say about where components come from. */
  readonly repositoryContext?: JsonObject
}

const name = 'default'

export async function runContexts(
  client: KubeClient,
  runtime: Runtime,
  caches: LandscaperCaches,
  { repositoryContext }: DefaultContext,
  signal: AbortSignal,
): Promise<void> {
  const namespaces = createReflector<{ readonly isEnding: boolean }>(client.of(resources.namespaces), runtime, {
    project: ({ metadata }: KubeObject) => ({ isEnding: metadata.deletionTimestamp !== undefined }),
  })
  const contexts = client.of<Context>(landscaperResources.contexts)

  async function reconcile(namespace: string) {
    const found = namespaces.cache.get(namespace)
    if (found === undefined || found.isEnding || caches.contexts.get(`${namespace}/${name}`) !== undefined)
      return undefined
    const context: Context = {
      apiVersion,
      kind: 'Context',
      metadata: { name, namespace },
      ...(repositoryContext === undefined ? {} : { repositoryContext }),
    }
    try {
      await contexts.create(context, { signal })
    } catch (error) {
      // It may have begun to end a moment ago.
      if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceEnding(error)) throw error
    }
    return undefined
  }

  const sources = [source(namespaces.cache), source(caches.contexts, ({ metadata }) => [metadata.namespace ?? ''])]
  const queue = createWorkQueue(runtime, { name: 'default contexts' })
  await Promise.all([
    namespaces.run(AbortSignal.any([signal])),
    runController({ name: 'default contexts', runtime, queue, sources, reconcile, concurrency: 4, signal }),
  ])
}
