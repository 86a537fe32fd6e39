/** Conversion hooks: objects are grouped by version and converted step by step along the shortest chain. */
import type { Clock, JsonObject } from '../../../runtime/index.ts'
import type { AskHook } from './admission.ts'
import { type ConversionAnswer, conversionAnswer } from './answers.ts'
import type { ConversionChains, ConversionStep } from './chains.ts'
import type { ReviewRequest } from './exchange.ts'
import type { FailureLog } from './failure-log.ts'

export interface ConversionDependencies {
  readonly chains: ConversionChains
  readonly ask: AskHook
  readonly clock: Clock
  readonly failureLog: FailureLog
}

/** API servers time out after 30 s; the rest is for sending the response. */
const conversionTimeoutMs = 29_500

/** The response of the review without its uid. */
export async function convert(
  crdName: string,
  review: ReviewRequest,
  { chains, ask, clock, failureLog }: ConversionDependencies,
): Promise<JsonObject> {
  const deadline = clock.monotonic() + conversionTimeoutMs
  const objects = (review.request['objects'] ?? []) as readonly JsonObject[]
  const desired = String(review.request['desiredAPIVersion'])
  const converted = [...objects]
  const failure = (message: string): JsonObject => {
    failureLog.error('objects could not be converted', { definition: crdName, desired, error: message })
    return { result: { status: 'Failure', message } }
  }
  for (const version of new Set(objects.map(versionOf))) {
    const chain = chains.find(crdName, version, desired)
    if (chain === undefined) return failure(`no hook converts ${crdName} from ${version} to ${desired}`)
    const places = objects.flatMap((object, index) => (versionOf(object) === version ? [index] : []))
    let current = places.map((index) => objects[index] as JsonObject)
    for (const step of chain) {
      const answer = await convertStep(step, current, { review, ask, timeout: deadline - clock.monotonic() })
      if ('failed' in answer) return failure(answer.failed)
      current = [...answer.objects]
    }
    for (const [at, index] of places.entries()) converted[index] = current[at] as JsonObject
  }
  return { result: { status: 'Success' }, convertedObjects: converted }
}

async function convertStep(
  { hook, binding, rule, from, to }: ConversionStep,
  objects: readonly JsonObject[],
  { review, ask, timeout }: { readonly review: ReviewRequest; readonly ask: AskHook; readonly timeout: number },
): Promise<ConversionAnswer> {
  const { apiVersion, kind, request } = review
  const result = await ask(hook, {
    binding,
    type: 'Conversion',
    members: { ...rule, review: { apiVersion, kind, request: { ...request, desiredAPIVersion: to, objects } } },
    timeout: Math.max(timeout, 1),
    isDryRun: false,
  })
  const answer = conversionAnswer(hook.name, result, objects.length)
  if ('failed' in answer) return answer
  const wrong = answer.objects.find((object) => versionOf(object) !== to)
  if (wrong === undefined) return answer
  return { failed: `hook ${hook.name} must convert from ${from} to ${to}, but answered with ${versionOf(wrong)}` }
}

function versionOf(object: JsonObject): string {
  return String(object['apiVersion'])
}
