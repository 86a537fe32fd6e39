/** Admission webhooks: which are asked, in which order, and what their answers mean. */
import { applyJsonPatch } from '../../../../patch/index.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/json.ts'
import type { Runtime } from '../../../../runtime/runtime.ts'
import { type ApiObject, withMetadata } from '../../object.ts'
import type { ServedResource } from '../../resource.ts'
import { fromStorage, toStorage } from '../../rest/request.ts'
import { internal, StatusError } from '../../status/status-error.ts'
import { equal } from '../../storage/share.ts'
import type { Attributes } from '../admission.ts'
import type { Plugin } from '../chain.ts'
import { callWebhook, type ResolveService } from './call.ts'
import { conditionsHold, type MatchParts, matchedResource } from './match.ts'
import { type ReviewAnswer, reviewAnswer, reviewRequest } from './review.ts'
import { type Webhook, webhooksOf } from './webhook.ts'

const group = 'admissionregistration.k8s.io'

export interface WebhookParts extends MatchParts {
  readonly runtime: Runtime
  readonly resolveService: ResolveService | undefined
}

export class Webhooks implements Plugin {
  readonly #parts: WebhookParts
  readonly #known = new WeakMap<ApiObject, readonly Webhook[]>()

  constructor(parts: WebhookParts) {
    this.#parts = parts
  }

  async mutate(attributes: Attributes): Promise<ApiObject | undefined> {
    const webhooks = this.#configured('mutatingwebhookconfigurations', attributes)
    if (webhooks.length === 0) return undefined
    let { object } = attributes
    const invoked: { webhook: Webhook; left: ApiObject | undefined }[] = []
    for (const webhook of webhooks) {
      const result = await this.#mutateOnce(webhook, { ...attributes, object })
      if (result === undefined) continue
      object = result.object
      invoked.push({ webhook, left: object })
    }
    for (const { webhook, left } of invoked) {
      // Others changed the object after this webhook had seen it.
      if (webhook.reinvocation === 'Never' || equal(left, object)) continue
      object = (await this.#mutateOnce(webhook, { ...attributes, object }))?.object ?? object
    }
    return object
  }

  async validate(attributes: Attributes): Promise<void> {
    const webhooks = this.#configured('validatingwebhookconfigurations', attributes)
    const outcomes = await Promise.allSettled(webhooks.map((webhook) => this.#ask(webhook, attributes, false)))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /** Webhooks in order of their configurations' names; configurations themselves are never shown to webhooks. */
  #configured(resource: string, attributes: Attributes): readonly Webhook[] {
    if (attributes.resource.group === group) return []
    const found: Webhook[] = []
    for (const [, { object }] of this.#parts.store.collection({ group, resource }).range('')) {
      const webhooks = this.#known.get(object) ?? webhooksOf(object)
      this.#known.set(object, webhooks)
      found.push(...webhooks)
    }
    return found
  }

  async #mutateOnce(webhook: Webhook, attributes: Attributes): Promise<{ object: ApiObject | undefined } | undefined> {
    const asked = await this.#ask(webhook, attributes, true)
    if (asked === undefined) return undefined
    const { answer, matched, shown } = asked
    if (answer.patch === undefined || (Array.isArray(answer.patch) && answer.patch.length === 0)) {
      return { object: attributes.object }
    }
    if (shown === undefined) {
      throw internal(
        `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    }
    const patched = this.#patched(shown, answer.patch)
    // What subresources speak is not of the resource's type.
    const foreign = attributes.subresource !== undefined && attributes.subresource.kind !== attributes.resource.kind
    return { object: foreign ? (patched as ApiObject) : await this.#back(patched, matched, attributes.resource) }
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

  async #back(patched: JsonObject, matched: ServedResource, resource: ServedResource): Promise<ApiObject> {
    const decoded = matched.strategy.default(matched.strategy.decode(patched).object)
    if (matched === resource) return decoded
    const [object = decoded] = await fromStorage(resource, [await toStorage(matched, decoded)])
    return object
  }

  /** Undefined when the webhook was not asked, or could not be and that is to be ignored. */
  async #ask(
    webhook: Webhook,
    attributes: Attributes,
    mutating: boolean,
  ): Promise<{ answer: ReviewAnswer; matched: ServedResource; shown: ApiObject | undefined } | undefined> {
    const matched = matchedResource(webhook, attributes, this.#parts)
    if (matched === undefined) return undefined
    const [object, old] = await Promise.all([
      this.#shown(attributes.object, matched, attributes),
      this.#shown(attributes.old, matched, attributes),
    ])
    const { runtime, resolveService, authorizer } = this.#parts
    const uid = runtime.random.uuid()
    const request = reviewRequest(uid, attributes, matched, { object, old })
    if (!conditionsHold(webhook, attributes, request, { object, old }, authorizer)) return undefined
    const version = webhook.reviewVersions.find((candidate) => candidate === 'v1' || candidate === 'v1beta1') ?? 'v1'
    const review = { kind: 'AdmissionReview', apiVersion: `admission.k8s.io/${version}`, request }
    let answer: ReviewAnswer
    try {
      const response = await callWebhook(webhook, review, runtime, resolveService)
      answer = verified(response, uid, version, mutating)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (webhook.failurePolicy === 'Ignore') {
        runtime.log.warn('webhook failed, going on without it', { webhook: webhook.name, error: why })
        return undefined
      }
      throw internal(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`)
    }
    for (const text of answer.warnings) attributes.warn(text)
    if (!answer.allowed) throw denied(webhook, answer.status)
    return { answer, matched, shown: object }
  }

  async #shown(
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

function verified(response: Json, uid: string, version: string, mutating: boolean): ReviewAnswer {
  try {
    return reviewAnswer(response, uid, version, mutating)
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
