/** One cache per resource type, shared by all controllers of a process, with their indexes. */
import {
  type Cache,
  createReflector,
  type KubeClient,
  type KubeObject,
  type Reflector,
  type ResourceType,
  withoutManagedFields,
} from '../../../kube/index.ts'
import type { Runtime } from '../../../runtime/index.ts'
import { PodProjection } from '../../kinds/pod-projection.ts'
import { controllerOf } from '../claims/controller-refs.ts'
import type { Shutdown } from './shutdown.ts'

export const indexNames = {
  controller: 'controller',
  orphans: 'orphans',
  namespace: 'namespace',
  node: 'node',
} as const

const indexes: Readonly<Record<string, (object: KubeObject) => readonly string[]>> = {
  /** By the uid of the controlling owner. */
  controller: (object) => {
    const uid = controllerOf(object)?.uid
    return uid === undefined ? [] : [uid]
  },
  /** By namespace, for objects without controlling owner. */
  orphans: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []),
  namespace: (object) => [object.metadata.namespace ?? ''],
  /** Pods by node. */
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

  /** `podSelector` is a field selector that limits the pods cache. */
  constructor(client: KubeClient, runtime: Runtime, podSelector?: string) {
    this.#client = client
    this.#runtime = runtime
    this.#podSelector = podSelector
  }

  /** Returns the shared cache of a type. All types must be requested before `run`. */
  of<T extends KubeObject>(type: ResourceType): Cache<T> {
    const name = nameOf(type)
    let reflector = this.#reflectors.get(name)
    if (reflector === undefined) {
      const isPods = type.resource === 'pods' && type.group === ''
      const projection = new PodProjection()
      const project = isPods ? (object: KubeObject) => projection.project(object) : withoutManagedFields<KubeObject>
      const fieldSelector = isPods ? this.#podSelector : undefined
      const scope = fieldSelector === undefined ? {} : { fieldSelector }
      reflector = createReflector<KubeObject>(this.#client.of(type), this.#runtime, { indexes, project, ...scope })
      this.#reflectors.set(name, reflector)
      this.#types.push(type)
    }
    // The caller knows the object type of the resource type.
    return reflector.cache as unknown as Cache<T>
  }

  /** The requested types. */
  get types(): readonly ResourceType[] {
    return this.#types
  }

  /** The cache of a type if it was requested. */
  existing(type: ResourceType): Cache<KubeObject> | undefined {
    return this.#reflectors.get(nameOf(type))?.cache
  }

  /** Runs all reflectors until shutdown. */
  async run(shutdown: Shutdown): Promise<void> {
    await Promise.all(Array.from(this.#reflectors.values(), (reflector) => reflector.run(shutdown.signal)))
  }

  async synced(): Promise<void> {
    await Promise.all(Array.from(this.#reflectors.values(), (reflector) => reflector.cache.synced))
  }
}
