/** Creates a Context `default` in every namespace, so that items need not name one. An existing one is never changed. */
import { runController, source } from '../../kube/controller/index.ts'
import { createReflector, isAlreadyExists, isNotFound, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { JsonObject } from '../../runtime/index.ts'
import type { LandscaperDependencies } from '../library/caches.ts'
import { apiVersion, type Context, landscaperResources } from '../resources/types.ts'

export interface DefaultContext {
  /** The repositoryContext of new default Contexts. */
  readonly repositoryContext?: JsonObject
}

const name = 'default'

export async function runContexts(
  { client, runtime, caches, signal }: LandscaperDependencies,
  { repositoryContext }: DefaultContext,
): Promise<void> {
  const namespaces = createReflector<{ readonly isTerminating: boolean }>(client.of(resources.namespaces), runtime, {
    project: ({ metadata }: KubeObject) => ({ isTerminating: metadata.deletionTimestamp !== undefined }),
  })
  const contexts = client.of<Context>(landscaperResources.contexts)

  async function reconcile(namespace: string) {
    const found = namespaces.cache.get(namespace)
    if (found === undefined || found.isTerminating || caches.contexts.get(`${namespace}/${name}`) !== undefined)
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
      // The namespace may have been deleted since the cache was read.
      if (!isAlreadyExists(error) && !isNotFound(error)) throw error
    }
    return undefined
  }

  const sources = [source(namespaces.cache), source(caches.contexts, ({ metadata }) => [metadata.namespace ?? ''])]
  await Promise.all([
    namespaces.run(AbortSignal.any([signal])),
    runController({ name: 'default contexts', runtime, sources, reconcile, concurrency: 4, signal }),
  ])
}
