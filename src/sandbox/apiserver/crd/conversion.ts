/**
 * Conversion between versions of a custom resource: by changing apiVersion only (strategy None), or by calling the
 * conversion webhook of the definition.
 */
import { isJsonObject, type Json, type JsonObject, type Runtime } from '../../../runtime/index.ts'
import { callWebhook, type ResolveService } from '../admission/webhooks/call.ts'
import { objectAt } from '../defaults/fill.ts'
import type { ApiObject } from '../object.ts'
import type { Conversion } from '../resource.ts'
import { StatusError } from '../status/status-error.ts'
import { type Definition, storedVersion } from './definition.ts'

/** What is needed to call webhooks. */
export interface ConversionDependencies {
  readonly runtime: Runtime
  readonly resolveService: ResolveService | undefined
}

/** Undefined when only apiVersion changes. */
export function conversionOf(
  definition: Definition,
  version: string,
  dependencies: ConversionDependencies,
): Conversion | undefined {
  if (definition.conversion['strategy'] !== 'Webhook') return undefined
  const stored = `${definition.group}/${storedVersion(definition)}`
  const own = `${definition.group}/${version}`
  return {
    async toStorage(object) {
      const [converted = object] = await convert([object], stored, definition, dependencies)
      return converted
    },
    fromStorage: (objects) => convert(objects, own, definition, dependencies),
  }
}

async function convert(
  objects: readonly ApiObject[],
  desired: string,
  definition: Definition,
  { runtime, resolveService }: ConversionDependencies,
): Promise<readonly ApiObject[]> {
  const others = objects.filter(({ apiVersion }) => apiVersion !== desired)
  if (others.length === 0) return objects
  const uid = runtime.random.uuid()
  const review: JsonObject = {
    kind: 'ConversionReview',
    apiVersion: reviewVersion(definition),
    request: { uid, desiredAPIVersion: desired, objects: [...others] },
  }
  const clientConfig = objectAt(objectAt(definition.conversion, 'webhook'), 'clientConfig')
  const failed = (why: string): StatusError =>
    new StatusError(
      500,
      '',
      `conversion webhook for ${others[0]?.apiVersion}, Kind=${definition.names.kind} failed: ${why}`,
    )
  let body: Json
  try {
    body = await callWebhook({ clientConfig, timeoutSeconds: 30 }, review, runtime, resolveService)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw failed(why.replace('failed to call webhook: ', ''))
  }
  const converted = readResponse(body, uid, failed)
  if (converted.length !== others.length) {
    throw failed(`webhook returned ${converted.length} objects, expected ${others.length}`)
  }
  const queue = converted.map((object, index) => checked(object, others[index], desired, failed))
  return objects.map((object) => (object.apiVersion === desired ? object : (queue.shift() ?? object)))
}

function reviewVersion({ conversion }: Definition): string {
  const versions = objectAt(conversion, 'webhook')['conversionReviewVersions']
  const offered = Array.isArray(versions) ? (versions as readonly Json[]) : []
  const known = offered.find((version) => version === 'v1' || version === 'v1beta1')
  return `apiextensions.k8s.io/${String(known ?? 'v1')}`
}

function readResponse(body: Json, uid: string, failed: (why: string) => StatusError): readonly Json[] {
  const response = isJsonObject(body) ? objectAt(body, 'response') : {}
  const result = objectAt(response, 'result')
  if (result['status'] !== 'Success') throw failed(String(result['message'] ?? 'no result'))
  if (response['uid'] !== uid) throw failed(`expected response.uid="${uid}", got "${String(response['uid'] ?? '')}"`)
  const converted = response['convertedObjects']
  return Array.isArray(converted) ? (converted as readonly Json[]) : []
}

/** Checks that the webhook kept the identity of the object: name and uid. */
function checked(
  object: Json,
  before: ApiObject | undefined,
  desired: string,
  failed: (why: string) => StatusError,
): ApiObject {
  if (!isJsonObject(object) || before === undefined) throw failed('invalid converted object')
  if (object['apiVersion'] !== desired) {
    throw failed(
      `invalid converted object at index 0: invalid groupVersion (expected ${desired}, received ${String(object['apiVersion'])})`,
    )
  }
  const metadata = objectAt(object, 'metadata')
  if (metadata['name'] !== before.metadata.name || metadata['uid'] !== before.metadata.uid) {
    throw failed('invalid metadata in converted object: name and uid must not change')
  }
  const { labels, annotations } = metadata
  return {
    ...object,
    metadata: {
      ...before.metadata,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  } as ApiObject
}
