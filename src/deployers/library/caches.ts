/** The caches shared by all deployers and by the Landscaper controllers. */
import { type Cache, createReflector, type KubeClient, type Reflector, type ResourceType } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { labels } from '../resources/annotations.ts'
import { type Context, type DeployItem, type Execution, landscaperResources, type Target } from '../resources/types.ts'

export interface LandscaperCaches {
  /** Indexed by `target`, `context` and `execution`, each `namespace/name`. */
  readonly items: Cache<DeployItem>
  readonly targets: Cache<Target>
  readonly contexts: Cache<Context>
  readonly executions: Cache<Execution>
  run(signal: AbortSignal): Promise<void>
}

/** The dependencies of the Landscaper controllers. */
export interface LandscaperDependencies {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly caches: LandscaperCaches
  readonly signal: AbortSignal
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
  const register = <T>(reflector: Reflector<T>): Cache<T> => {
    reflectors.push(reflector as Reflector<unknown>)
    return reflector.cache
  }
  const unprojected = <T>(type: ResourceType) =>
    register(createReflector<T>(client.of(type), runtime, { project: (object) => object as T }))
  return {
    items: register(
      createReflector<DeployItem>(client.of(landscaperResources.deployItems), runtime, {
        project: (object) => object as DeployItem,
        indexes,
      }),
    ),
    targets: unprojected<Target>(landscaperResources.targets),
    contexts: unprojected<Context>(landscaperResources.contexts),
    executions: unprojected<Execution>(landscaperResources.executions),
    async run(signal) {
      // A separate signal for each, because many listeners on one signal cause Node's leak warning.
      await Promise.all(reflectors.map((reflector) => reflector.run(AbortSignal.any([signal]))))
    },
  }
}
