/**
 * Sets the conversion webhook of CustomResourceDefinitions to the server of the hooks. A definition that is created later, or whose owner
 * resets it, is updated when the watch shows it.
 */
import {
  type Cache,
  clientConfig,
  createReflector,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  type ReachedBy,
  type ResourceClient,
} from '../../../kube/index.ts'
import { resources } from '../../../kube/kinds/index.ts'
import { canonicalJson, type Runtime, textToBase64 } from '../../../runtime/index.ts'
import { isOurs, markOf, markSelector, noMark } from './owner.ts'

type Definition = KubeObject & { readonly spec: { readonly conversion?: Conversion } }

interface Conversion {
  readonly strategy: string
  readonly webhook?: { readonly clientConfig?: object; readonly conversionReviewVersions: readonly string[] }
}

const retryMs = 10_000

export class Definitions {
  readonly #definitions: ResourceClient<Definition>
  readonly #runtime: Runtime
  readonly #owner: string
  readonly #names: readonly string[]
  readonly #caches = new Map<string, Cache<Conversion | undefined>>()
  #server: { readonly reached: ReachedBy; readonly ca: string } | undefined

  constructor(client: KubeClient, runtime: Runtime, names: readonly string[], owner: string) {
    this.#definitions = client.of<Definition>(resources.customResourceDefinitions)
    this.#runtime = runtime
    this.#names = names
    this.#owner = owner
  }

  /** Watches the definitions until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const running = this.#names.map((name) => {
      const reflector = createReflector(this.#definitions, this.#runtime, {
        fieldSelector: `metadata.name=${name}`,
        project: ({ spec }: Definition) => spec.conversion,
      })
      this.#caches.set(name, reflector.cache)
      reflector.cache.subscribe(({ type }) => {
        if (type !== 'deleted') this.#ensureWebhook(name, signal)
      })
      return reflector.run(signal)
    })
    await Promise.all(running)
  }

  /** Sets the server; resolves when the existing definitions use it. */
  async setServer(reached: ReachedBy, ca: string): Promise<void> {
    this.#server = { reached, ca }
    await Promise.all(
      [...this.#caches].map(async ([name, cache]) => {
        await cache.synced
        if (cache.size > 0) await this.#setWebhook(name)
        else
          this.#runtime.log.info('the CustomResourceDefinition of a conversion hook does not exist yet', {
            definition: name,
          })
      }),
    )
  }

  /** Removes the webhook from definitions of an earlier start whose hooks are gone. */
  async resetUnused(): Promise<void> {
    const { items } = await this.#definitions.list({ labelSelector: markSelector }).catch((error: unknown) => {
      if (isForbidden(error)) return { items: [] }
      throw error
    })
    for (const definition of items) {
      const { name } = definition.metadata
      if (this.#names.includes(name) || !isOurs(definition, this.#owner)) continue
      this.#runtime.log.warn('no hook converts this resource any more: setting its conversion strategy to None', {
        definition: name,
      })
      const conversion = { strategy: 'None', webhook: null }
      // Safe without a version: only the fields set by us are changed, and the mark shows that they are ours.
      await this.#definitions.patch(name, { type: 'merge', value: { metadata: noMark, spec: { conversion } } })
    }
  }

  #ensureWebhook(name: string, signal: AbortSignal): void {
    this.#setWebhook(name).catch((error: unknown) => {
      if (signal.aborted) return
      this.#runtime.log.error('cannot set the conversion webhook of a CustomResourceDefinition: retrying', {
        definition: name,
        error,
      })
      this.#runtime.clock.after(retryMs, () => {
        if (!signal.aborted) this.#ensureWebhook(name, signal)
      })
    })
  }

  async #setWebhook(name: string): Promise<void> {
    if (this.#server === undefined) return
    const { reached, ca } = this.#server
    const client = { ...clientConfig(reached, `/${name}`), caBundle: textToBase64(ca) }
    const webhook = { clientConfig: client, conversionReviewVersions: ['v1'] }
    const known = this.#caches.get(name)?.get(name)
    if (isEqual(known, { strategy: 'Webhook', webhook })) return
    // The API server refuses a clientConfig with both url and service, so the other one is removed.
    const clientOnly = { url: null, service: null, ...client }
    const conversion = { strategy: 'Webhook', webhook: { ...webhook, clientConfig: clientOnly } }
    const value = { metadata: markOf(this.#owner), spec: { conversion } }
    // Safe without a version: the conversion of these definitions belongs to the hooks.
    await this.#definitions.patch(name, { type: 'merge', value }).catch((error: unknown) => {
      // Deleted meanwhile; the watch shows it if it is created again.
      if (!isNotFound(error)) throw error
    })
  }
}

function isEqual(one: Conversion | undefined, other: Conversion): boolean {
  return canonicalJson(one) === canonicalJson(other)
}
