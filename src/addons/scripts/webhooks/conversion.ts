/** Hooks that convert objects: each group of objects of one version goes its shortest way, step by step. */
import type { Clock } from '../../../runtime/clock.ts'
import type { JsonObject } from '../../../runtime/json.ts'
import type { AskHook } from './admission.ts'
import { type ConversionAnswer, conversionAnswer } from './answers.ts'
import type { ConversionChains, ConversionStep } from './chains.ts'
import type { Complaints } from './complaints.ts'
import type { ReviewRequest } from './exchange.ts'

/** Milliseconds: API servers wait for 30 s, and the answer takes its time too. */
const patience = 29_500

/** The response of the review, but for its uid. */
export async function convert(
  chains: ConversionChains,
  crdName: string,
  review: ReviewRequest,
  ask: AskHook,
  { clock, complaints }: { readonly clock: Clock; readonly complaints: Complaints },
): Promise<JsonObject> {
  const deadline = clock.monotonic() + patience
  const objects = (review.request['objects'] ?? []) as readonly JsonObject[]
  const desired = String(review.request['desiredAPIVersion'])
  const converted = [...objects]
  const failure = (message: string): JsonObject => {
    complaints.error('objects are not converted', { definition: crdName, desired, error: message })
    return { result: { status: 'Failure', message } }
  }
  for (const version of new Set(objects.map(versionOf))) {
    const way = chains.find(crdName, version, desired)
    if (way === undefined) return failure(`no hook converts ${crdName} from ${version} to ${desired}`)
    const places = objects.flatMap((object, index) => (versionOf(object) === version ? [index] : []))
    let current = places.map((index) => objects[index] as JsonObject)
    for (const step of way) {
      const answer = await take(step, current, review, ask, deadline - clock.monotonic())
      if ('failed' in answer) return failure(answer.failed)
      current = [...answer.objects]
    }
    for (const [at, index] of places.entries()) converted[index] = current[at] as JsonObject
  }
  return { result: { status: 'Success' }, convertedObjects: converted }
}

async function take(
  { hook, binding, rule, from, to }: ConversionStep,
  objects: readonly JsonObject[],
  { apiVersion, kind, request }: ReviewRequest,
  ask: AskHook,
  timeout: number,
): Promise<ConversionAnswer> {
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
  return { failed: `hook ${hook.name} was to convert from ${from} to ${to}, but answered ${versionOf(wrong)}` }
}

function versionOf(object: JsonObject): string {
  return String(object['apiVersion'])
}
