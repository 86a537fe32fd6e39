/** Writes what running hooks say, line by line with the name of the hook, until the rollout ends or nobody wants to follow any more. */
import { podsOf } from '../../hooks/logs/hook-log.ts'
import type { KubeObject } from '../../kube/object.ts'
import { createReflector } from '../../kube/reflector/reflector.ts'
import { resources } from '../../kube/types.ts'
import { policyType } from '../../rollouts/engine/caches.ts'
import type { HookRecord, RolloutPolicy } from '../../rollouts/policy/types.ts'
import type { CliContext } from '../context.ts'
import type { Outcome } from '../outcome.ts'
import type { Place } from '../place.ts'
import { paint } from '../terminal/paint.ts'
import { look } from './follow.ts'

interface StreamOptions {
  /** Goes on until the rollout has ended. */
  readonly follow: boolean
  isWanted(hook: string, attempt: number): boolean
}

interface Carrier {
  readonly kind: string
  readonly name: string
}

export async function streamHooks(
  context: CliContext,
  place: Place,
  policy: RolloutPolicy,
  { follow, isWanted }: StreamOptions,
): Promise<Outcome> {
  const streams = new Map<string, Promise<void>>()
  const begin = ({ status }: RolloutPolicy) => {
    for (const record of status?.rollout?.hooks ?? []) {
      const { name, attempts, state, object, point, message } = record
      const key = `${name}/${attempts}`
      if (attempts === 0 || streams.has(key) || !isWanted(name, attempts)) continue
      const head = paint(context.stdout).bold(`--> ${name} at ${point}${attempts > 1 ? `, attempt ${attempts}` : ''}`)
      if (object !== undefined && state === 'Running') {
        context.stdout.write(`${head}: ${state.toLowerCase()}\n`)
        streams.set(key, stream(context, place, name, object, follow))
      } else if (follow && isAnswered(record)) {
        streams.set(key, Promise.resolve())
        context.stdout.write(`${head}: ${state.toLowerCase()}${message === undefined ? '' : `, ${message}`}\n`)
      }
    }
  }
  begin(policy)
  const outcome = follow
    ? await followPolicy(context, place, policy, begin)
    : (await look(place, policy.metadata.name)).outcome
  await Promise.all(streams.values())
  return outcome
}

/** A hook without an object, or one that was over before anybody looked. */
function isAnswered({ state, object }: Pick<HookRecord, 'state' | 'object'>): boolean {
  return object === undefined ? state !== 'Running' && state !== 'Pending' : state !== 'Running'
}

async function followPolicy(
  { runtime, signal }: CliContext,
  place: Place,
  { metadata }: RolloutPolicy,
  seen: (policy: RolloutPolicy) => void,
): Promise<Outcome> {
  const done = new AbortController()
  const reflector = createReflector<RolloutPolicy>(place.client.of(policyType), runtime, {
    namespace: place.namespace,
    fieldSelector: `metadata.name=${metadata.name}`,
    project: (object) => object as RolloutPolicy,
  })
  let outcome: Outcome = 'going'
  let looking = Promise.resolve()
  reflector.cache.subscribe((change) => {
    if (change.type === 'deleted') return done.abort()
    seen(change.value)
    looking = looking.then(async () => {
      outcome = (await look(place, metadata.name)).outcome
      if (outcome !== 'going') done.abort()
    })
    looking.catch(() => done.abort())
    return undefined
  })
  await reflector.run(AbortSignal.any([signal, done.signal]))
  await looking
  return outcome
}

async function stream(
  context: CliContext,
  place: Place,
  hook: string,
  { kind, name }: Carrier,
  follow: boolean,
): Promise<void> {
  const { client, namespace } = place
  const { stdout } = context
  const front = paint(stdout).dim(`${hook} | `)
  try {
    if (follow) await untilStarted(context, place, { kind, name })
    for (const { metadata } of await podsOf(client, { kind, name, namespace }, context.signal)) {
      const lines = client.logs({ namespace, name: metadata.name }, { follow, signal: context.signal })
      const decoder = new TextDecoder()
      let rest = ''
      for await (const chunk of lines) {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = parts.pop() ?? ''
        for (const line of parts) stdout.write(`${front}${line}\n`)
      }
      if (rest !== '') stdout.write(`${front}${rest}\n`)
    }
  } catch {
    // It is gone or has not begun; the journal has what it said.
    if (!context.signal.aborted) stdout.write(`${front}(nothing to be read)\n`)
  }
}

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string }
}

/** A pod that has not started has no log yet. */
async function untilStarted({ runtime, signal }: CliContext, { client, namespace }: Place, { kind, name }: Carrier) {
  const done = new AbortController()
  const reflector = createReflector<Pod>(client.of(resources.pods), runtime, {
    namespace,
    ...(kind === 'Job'
      ? { labelSelector: `batch.kubernetes.io/job-name=${name}` }
      : { fieldSelector: `metadata.name=${name}` }),
    project: (object) => object as Pod,
  })
  reflector.cache.subscribe((change) => {
    if (change.type === 'deleted' || (change.value.status?.phase ?? 'Pending') !== 'Pending') done.abort()
  })
  await reflector.run(AbortSignal.any([signal, done.signal]))
}
