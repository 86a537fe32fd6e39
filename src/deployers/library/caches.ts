/** What deployers and the landscaper's side watch, once for all of them. */
import type { KubeClient } from '../../kube/client/client.ts'
import type { ResourceType } from '../../kube/object.ts'
import type { Cache, Reflector } from '../../kube/reflector/cache.ts'
import { createReflector } from '../../kube/reflector/reflector.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type Context, type DeployItem, type Execution, landscaperResources, type Target } from '../resources/types.ts'
import { labels } from '../resources/words.ts'

export interface LandscaperCaches {
  /** Indexed by `target`, `context` and `execution`, each `namespace/name`. */
  readonly items: Cache<DeployItem>
  readonly targets: Cache<Target>
  readonly contexts: Cache<Context>
  readonly executions: Cache<Execution>
  run(signal: AbortSignal): Promise<void>
}

const indexes = {
  target: ({ metadata, spec }: DeployItem) =>
    spec.target === undefined ? [] : [`${metadata.namespace}/${spec.target.name}`],
  context: (item: DeployItem) => [`${item.metadata.namespace}/${contextName(item)}`],
  execution: ({ metadata }: DeployItem) => {
    const owner = metadata.labels?.[labels.managedBy]
    return owner === undefined ? [] : [`${metadata.namespace}/${owner}`]
  },
}

export function contextName({ spec }: DeployItem | Execution): string {
  return spec.context === undefined || spec.context === '' ? 'default' : spec.context
}

export function createCaches(client: KubeClient, runtime: Runtime): LandscaperCaches {
  const reflectors: Reflector<unknown>[] = []
  const keep = <T>(reflector: Reflector<T>): Cache<T> => {
    reflectors.push(reflector as Reflector<unknown>)
    return reflector.cache
  }
  const whole = <T>(type: ResourceType) =>
    keep(createReflector<T>(client.of(type), runtime, { project: (object) => object as T }))
  return {
    items: keep(
      createReflector<DeployItem>(client.of(landscaperResources.deployItems), runtime, {
        project: (object) => object as DeployItem,
        indexes,
      }),
    ),
    targets: whole<Target>(landscaperResources.targets),
    contexts: whole<Context>(landscaperResources.contexts),
    executions: whole<Execution>(landscaperResources.executions),
    async run(signal) {
      // A signal of its own for each: so many listeners on one look like a leak.
      await Promise.all(reflectors.map((reflector) => reflector.run(AbortSignal.any([signal]))))
    },
  }
}
