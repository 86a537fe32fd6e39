/**
 * Points resource definitions to the hooks that convert their objects. A definition that is not there yet, or is put back by whoever owns it, is
 * pointed to them as soon as it is seen; no other one has to wait for it.
 */
import type { KubeClient, ResourceClient } from '../../../kube/client/client.ts'
import { isForbidden, isNotFound } from '../../../kube/errors.ts'
import { resources } from '../../../kube/kinds/index.ts'
import type { KubeObject } from '../../../kube/object.ts'
import type { Cache } from '../../../kube/reflector/cache.ts'
import { createReflector } from '../../../kube/reflector/reflector.ts'
import { clientConfig, type ReachedBy } from '../../../kube/serving/place.ts'
import { textToBase64 } from '../../../runtime/base64.ts'
import { canonicalJson } from '../../../runtime/canonical-json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { isOurs, markOf, markSelector, noMark } from './owner.ts'

type Definition = KubeObject & { readonly spec: { readonly conversion?: Conversion } }

interface Conversion {
  readonly strategy: string
  readonly webhook?: { readonly clientConfig?: object; readonly conversionReviewVersions: readonly string[] }
}

const retryPause = 10_000

export class Definitions {
  readonly #definitions: ResourceClient<Definition>
  readonly #runtime: Runtime
  readonly #owner: string
  readonly #names: readonly string[]
  readonly #caches = new Map<string, Cache<Conversion | undefined>>()
  #announced: { readonly reached: ReachedBy; readonly ca: string } | undefined

  constructor(client: KubeClient, runtime: Runtime, names: readonly string[], owner: string) {
    this.#definitions = client.of<Definition>(resources.customResourceDefinitions)
    this.#runtime = runtime
    this.#names = names
    this.#owner = owner
  }

  /** Follows the definitions until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const running = this.#names.map((name) => {
      const reflector = createReflector(this.#definitions, this.#runtime, {
        fieldSelector: `metadata.name=${name}`,
        project: ({ spec }: Definition) => spec.conversion,
      })
      this.#caches.set(name, reflector.cache)
      reflector.cache.subscribe(({ type }) => {
        if (type !== 'deleted') this.#keep(name, signal)
      })
      return reflector.run(signal)
    })
    await Promise.all(running)
  }

  /** From now on definitions point there; resolves when those that exist do. */
  async announce(reached: ReachedBy, ca: string): Promise<void> {
    this.#announced = { reached, ca }
    await Promise.all(
      [...this.#caches].map(async ([name, cache]) => {
        await cache.synced
        if (cache.size > 0) await this.#point(name)
        else this.#runtime.log.info('hooks wait for a resource definition that they convert', { definition: name })
      }),
    )
  }

  /** Gives back what an earlier start of ours has pointed to hooks that are gone. */
  async giveBack(): Promise<void> {
    const { items } = await this.#definitions.list({ labelSelector: markSelector }).catch((error: unknown) => {
      if (isForbidden(error)) return { items: [] }
      throw error
    })
    for (const definition of items) {
      const { name } = definition.metadata
      if (this.#names.includes(name) || !isOurs(definition, this.#owner)) continue
      this.#runtime.log.warn('no hook converts this resource any more: its versions differ in name only from now on', {
        definition: name,
      })
      const conversion = { strategy: 'None', webhook: null }
      await this.#definitions.patch(name, { type: 'merge', value: { metadata: noMark, spec: { conversion } } })
    }
  }

  #keep(name: string, signal: AbortSignal): void {
    this.#point(name).catch((error: unknown) => {
      if (signal.aborted) return
      this.#runtime.log.error('cannot point a resource definition to its hooks; trying again', {
        definition: name,
        error,
      })
      this.#runtime.clock.after(retryPause, () => {
        if (!signal.aborted) this.#keep(name, signal)
      })
    })
  }

  async #point(name: string): Promise<void> {
    if (this.#announced === undefined) return
    const { reached, ca } = this.#announced
    const client = { ...clientConfig(reached, `/${name}`), caBundle: textToBase64(ca) }
    const webhook = { clientConfig: client, conversionReviewVersions: ['v1'] }
    const known = this.#caches.get(name)?.get(name)
    if (isEqual(known, { strategy: 'Webhook', webhook })) return
    // What is left of the other way to be reached would be refused.
    const clientOnly = { url: null, service: null, ...client }
    const conversion = { strategy: 'Webhook', webhook: { ...webhook, clientConfig: clientOnly } }
    const value = { metadata: markOf(this.#owner), spec: { conversion } }
    await this.#definitions.patch(name, { type: 'merge', value }).catch((error: unknown) => {
      // It comes back, or it does not.
      if (!isNotFound(error)) throw error
    })
  }
}

function isEqual(one: Conversion | undefined, other: Conversion): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
