/** Calls admission webhooks in order and applies their responses. */
import { applyJsonPatch } from '../../../../patch/index.ts'
import { append, isJsonObject, type Json, type JsonObject, type Runtime } from '../../../../runtime/index.ts'
import { type ApiObject, withMetadata } from '../../object.ts'
import type { ServedResource } from '../../resource.ts'
import { fromStorage, toStorage } from '../../rest/request.ts'
import { internal, StatusError } from '../../status/status-error.ts'
import { equal } from '../../storage/share.ts'
import type { Attributes } from '../admission.ts'
import type { Plugin } from '../chain.ts'
import { callWebhook, type ResolveService } from './call.ts'
import { type MatchDependencies, matchConditionsHold, matchedResource } from './match.ts'
import { type ReviewResponse, reviewRequest, reviewResponse } from './review.ts'
import { type Webhook, webhooksOf } from './webhook.ts'

const group = 'admissionregistration.k8s.io'

export interface WebhookDependencies extends MatchDependencies {
  readonly runtime: Runtime
  readonly resolveService: ResolveService | undefined
}

export class WebhookDispatcher implements Plugin {
  readonly #dependencies: WebhookDependencies
  readonly #compiled = new WeakMap<ApiObject, readonly Webhook[]>()

  constructor(dependencies: WebhookDependencies) {
    this.#dependencies = dependencies
  }

  async mutate(attributes: Attributes): Promise<ApiObject | undefined> {
    const webhooks = this.#configured('mutatingwebhookconfigurations', attributes)
    if (webhooks.length === 0) return undefined
    let { object } = attributes
    const invoked: { webhook: Webhook; result: ApiObject | undefined }[] = []
    for (const webhook of webhooks) {
      const result = await this.#mutateOnce(webhook, { ...attributes, object })
      if (result === undefined) continue
      object = result.object
      invoked.push({ webhook, result: object })
    }
    for (const { webhook, result } of invoked) {
      // `reinvocationPolicy: IfNeeded`: call again only if a later webhook changed the object.
      if (webhook.reinvocation === 'Never' || equal(result, object)) continue
      object = (await this.#mutateOnce(webhook, { ...attributes, object }))?.object ?? object
    }
    return object
  }

  async validate(attributes: Attributes): Promise<void> {
    const webhooks = this.#configured('validatingwebhookconfigurations', attributes)
    const outcomes = await Promise.allSettled(webhooks.map((webhook) => this.#call(webhook, attributes, false)))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /**
   * Webhooks in the order of their configurations' names. Requests for webhook configurations themselves are never sent
   * to webhooks.
   */
  #configured(resource: string, attributes: Attributes): readonly Webhook[] {
    if (attributes.resource.group === group) return []
    const found: Webhook[] = []
    for (const [, { object }] of this.#dependencies.store.collection({ group, resource }).range('')) {
      const webhooks = this.#compiled.get(object) ?? webhooksOf(object)
      this.#compiled.set(object, webhooks)
      append(found, webhooks)
    }
    return found
  }

  async #mutateOnce(webhook: Webhook, attributes: Attributes): Promise<{ object: ApiObject | undefined } | undefined> {
    const called = await this.#call(webhook, attributes, true)
    if (called === undefined) return undefined
    const { response, matched, sent } = called
    if (response.patch === undefined || (Array.isArray(response.patch) && response.patch.length === 0)) {
      return { object: attributes.object }
    }
    if (sent === undefined) {
      throw internal(
        `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    }
    const patched = this.#patched(sent, response.patch)
    // The body of a subresource such as Scale is not of the resource's type and needs no conversion.
    const foreign = attributes.subresource !== undefined && attributes.subresource.kind !== attributes.resource.kind
    return {
      object: foreign ? (patched as ApiObject) : await this.#toRequestVersion(patched, matched, attributes.resource),
    }
  }

  #patched(object: ApiObject, patch: Json): JsonObject {
    try {
      const result = applyJsonPatch(object, patch)
      if (!isJsonObject(result)) throw new Error('the patch did not leave an object')
      return result
    } catch (error) {
      throw internal(error instanceof Error ? error.message : String(error))
    }
  }

  async #toRequestVersion(patched: JsonObject, matched: ServedResource, resource: ServedResource): Promise<ApiObject> {
    const decoded = matched.strategy.default(matched.strategy.decode(patched).object)
    if (matched === resource) return decoded
    const [object = decoded] = await fromStorage(resource, [await toStorage(matched, decoded)])
    return object
  }

  /** Undefined when the webhook does not match, or when its failure is ignored. */
  async #call(
    webhook: Webhook,
    attributes: Attributes,
    mutating: boolean,
  ): Promise<{ response: ReviewResponse; matched: ServedResource; sent: ApiObject | undefined } | undefined> {
    const matched = matchedResource(webhook, attributes, this.#dependencies)
    if (matched === undefined) return undefined
    const [object, old] = await Promise.all([
      this.#inMatchedVersion(attributes.object, matched, attributes),
      this.#inMatchedVersion(attributes.old, matched, attributes),
    ])
    const { runtime, resolveService, authorizer } = this.#dependencies
    const uid = runtime.random.uuid()
    const request = reviewRequest(uid, attributes, matched, { object, old })
    if (!matchConditionsHold(webhook, attributes, request, { object, old, authorizer })) return undefined
    const version = webhook.reviewVersions.find((candidate) => candidate === 'v1' || candidate === 'v1beta1') ?? 'v1'
    const review = { kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, request }
    let response: ReviewResponse
    try {
      const body = await callWebhook(webhook, review, runtime, resolveService)
      response = verified(body, uid, version, mutating)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (webhook.failurePolicy === 'Ignore') {
        runtime.log.warn('webhook failed and its failurePolicy is Ignore: continuing without it', {
          webhook: webhook.name,
          error: why,
        })
        return undefined
      }
      throw internal(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`)
    }
    for (const text of response.warnings) attributes.warn(text)
    if (!response.allowed) throw denied(webhook, response.status)
    return { response, matched, sent: object }
  }

  async #inMatchedVersion(
    object: ApiObject | undefined,
    matched: ServedResource,
    { resource, subresource }: Attributes,
  ): Promise<ApiObject | undefined> {
    if (object === undefined || matched === resource) return object
    if (subresource !== undefined && subresource.kind !== resource.kind) return object
    const [converted] = await fromStorage(matched, [await toStorage(resource, object)])
    return converted === undefined ? undefined : withMetadata(converted, {})
  }
}

function verified(body: Json, uid: string, version: string, mutating: boolean): ReviewResponse {
  try {
    return reviewResponse(body, uid, version, mutating)
  } catch (error) {
    throw new Error(`received invalid webhook response: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function denied({ name }: Webhook, status: JsonObject | undefined): StatusError {
  const { code, message, reason } = status ?? {}
  const by = `admission webhook ${JSON.stringify(name)} denied the request`
  const text =
    typeof message === 'string' && message !== ''
      ? `${by}: ${message}`
      : typeof reason === 'string' && reason !== ''
        ? `${by}: ${reason}`
        : `${by} without explanation`
  const details = status?.['details']
  return new StatusError(
    typeof code === 'number' && code >= 400 ? code : 400,
    typeof reason === 'string' ? reason : '',
    text,
    isJsonObject(details) ? details : undefined,
  )
}
