/**
 * One cache per resource type, shared by every controller of a process, with the indexes controllers look things up by.
 */
import type { KubeClient } from '../../../kube/client/client.ts'
import type { KubeObject, ResourceType } from '../../../kube/object.ts'
import type { Cache, Reflector } from '../../../kube/reflector/cache.ts'
import { withoutManagedFields } from '../../../kube/reflector/project.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { PodSlimmer } from '../../kinds/slim.ts'
import { controllerOf } from '../claims/claim.ts'
import type { Ending } from './ending.ts'

export const indexNames = {
  controller: 'controller',
  orphans: 'orphans',
  namespace: 'namespace',
  node: 'node',
} as const

const indexes: Readonly<Record<string, (object: KubeObject) => readonly string[]>> = {
  /** By the uid of the controller. */
  controller: (object) => {
    const uid = controllerOf(object)?.uid
    return uid === undefined ? [] : [uid]
  },
  /** By the namespace of objects that no controller owns. */
  orphans: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []),
  namespace: (object) => [object.metadata.namespace ?? ''],
  /** Pods by the node they are bound to. */
  node: (object) => {
    const name = 'spec' in object ? (object.spec as { nodeName?: string } | undefined)?.nodeName : undefined
    return name ? [name] : []
  },
}

const nameOf = ({ resource, group }: ResourceType): string => `${resource}.${group}`

export class Informers {
  readonly #client: KubeClient
  readonly #runtime: Runtime
  readonly #podSelector: string | undefined
  readonly #reflectors = new Map<string, Reflector<KubeObject>>()
  readonly #types: ResourceType[] = []

  /** `podSelector` is a field selector for pods, where not all of them are of interest. */
  constructor(client: KubeClient, runtime: Runtime, podSelector?: string) {
    this.#client = client
    this.#runtime = runtime
    this.#podSelector = podSelector
  }

  /** Asking twice gives the same cache; all asking ends before `run`. */
  of<T extends KubeObject>(type: ResourceType): Cache<T> {
    const name = nameOf(type)
    let reflector = this.#reflectors.get(name)
    if (reflector === undefined) {
      const isPods = type.resource === 'pods' && type.group === ''
      const slimmer = new PodSlimmer()
      const project = isPods ? (object: KubeObject) => slimmer.slim(object) : withoutManagedFields<KubeObject>
      const fieldSelector = isPods ? this.#podSelector : undefined
      const scope = fieldSelector === undefined ? {} : { fieldSelector }
      reflector = createReflector<KubeObject>(this.#client.of(type), this.#runtime, { indexes, project, ...scope })
      this.#reflectors.set(name, reflector)
      this.#types.push(type)
    }
    // The type argument is the caller's knowledge of what the resource type holds.
    return reflector.cache as unknown as Cache<T>
  }

  /** Those that anyone has asked for. */
  get types(): readonly ResourceType[] {
    return this.#types
  }

  /** The cache of this type, if anyone asked for it. */
  existing(type: ResourceType): Cache<KubeObject> | undefined {
    return this.#reflectors.get(nameOf(type))?.cache
  }

  /** Keeps all caches current until the end. */
  async run(ending: Ending): Promise<void> {
    await Promise.all(Array.from(this.#reflectors.values(), (reflector) => reflector.run(ending.signal)))
  }

  async synced(): Promise<void> {
    await Promise.all(Array.from(this.#reflectors.values(), (reflector) => reflector.cache.synced))
  }
}
