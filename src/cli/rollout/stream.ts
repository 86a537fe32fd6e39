/**
 * Writes what hooks say that run, or have ended so lately that the journal does not know them yet, line by line with the name of the hook,
 * until the rollout ends or the client stops following.
 */
import { podsOf } from '../../hooks/index.ts'
import { createReflector } from '../../kube/index.ts'
import { type Pod, resources } from '../../kube/kinds/index.ts'
import { type HookRecord, policyType, type RolloutPolicy } from '../../rollouts/index.ts'
import type { CliContext } from '../context.ts'
import type { Outcome } from '../outcome.ts'
import type { Place } from '../place.ts'
import { paint } from '../terminal/paint.ts'
import { printable, printableLine } from '../terminal/printable.ts'
import { isTroubled, podState } from './detail/pod-state.ts'
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

/** A hook that is being listened to. */
interface Listening {
  /** Its run is over, or the client has stopped: a pod that has not started by now is not waited for. */
  readonly ended: AbortController
  readonly heard: Promise<void>
}

export async function streamHooks(
  context: CliContext,
  place: Place,
  policy: RolloutPolicy,
  { follow, isWanted }: StreamOptions,
): Promise<Outcome> {
  const runs = new Map<string, Listening>()
  let turn = Promise.resolve()
  const say = (head: string, { state, message }: HookRecord) =>
    context.stdout.write(
      `${head}: ${state.toLowerCase()}${message === undefined ? '' : `, ${printableLine(message)}`}\n`,
    )
  const begin = ({ status }: RolloutPolicy) => {
    const { id, hooks = [] } = status?.rollout ?? {}
    const keyOf = ({ name, attempts }: HookRecord) => `${id}/${name}/${attempts}`
    // What a newer attempt or a newer template has overtaken says nothing more.
    const known = new Set(hooks.map(keyOf))
    for (const [key, run] of runs) if (!known.has(key)) run.ended.abort()
    for (const record of hooks) {
      const { name, attempts, state, object, point } = record
      const key = keyOf(record)
      const head = paint(context.stdout).bold(
        printableLine(`--> ${name} at ${point}${attempts > 1 ? `, attempt ${attempts}` : ''}`),
      )
      const run = runs.get(key)
      if (run !== undefined && !run.ended.signal.aborted && state !== 'Running') {
        run.ended.abort()
        runs.set(key, { ...run, heard: run.heard.then(() => say(head, record)) })
      }
      if (attempts === 0 || runs.has(key) || !isWanted(name, attempts)) continue
      if (state !== 'Running' && !isAnswered(record)) continue
      const ended = new AbortController()
      if (state !== 'Running') ended.abort()
      const hear = async () => {
        say(head, record)
        if (object === undefined) return
        await stream(context, place, { hook: name, carrier: object, ...(follow ? { ended: ended.signal } : {}) })
      }
      // While following, all streams are read at once, otherwise one after the other.
      turn = follow ? hear() : turn.then(hear)
      runs.set(key, { ended, heard: turn })
    }
  }
  begin(policy)
  const outcome = follow
    ? await followPolicy(context, place, policy, begin)
    : (await look(place, policy.metadata.name)).outcome
  if (follow) for (const { ended } of runs.values()) ended.abort()
  await Promise.all([...runs.values()].map(({ heard }) => heard))
  return outcome
}

/** It is over, also when it will be tried again: then it has its object still. */
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

interface Streamed {
  readonly hook: string
  readonly carrier: Carrier
  /** With it, its lines are followed. */
  readonly ended?: AbortSignal
}

async function stream(context: CliContext, place: Place, { hook, carrier, ended }: Streamed): Promise<void> {
  const { client, namespace } = place
  const { stdout } = context
  const { kind, name } = carrier
  const follow = ended !== undefined
  const front = paint(stdout).dim(`${printableLine(hook)} | `)
  const tell = (text: string) => stdout.write(`${front}(${printableLine(text)})\n`)
  try {
    if (follow) await untilStarted(context, place, { carrier, ended, tell })
    const pods = await podsOf(client, { kind, name, namespace }, context.signal)
    if (pods.length === 0) tell('gone before it could be heard; the journal has its log soon')
    for (const pod of pods) {
      const { metadata } = pod
      const waiting = waitText(pod as Pod)
      if (waiting !== undefined) {
        tell(waiting)
        continue
      }
      const lines = client.logs({ namespace, name: metadata.name }, { follow, signal: context.signal })
      const decoder = new TextDecoder()
      let rest = ''
      for await (const chunk of lines) {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
        rest = parts.pop() ?? ''
        for (const line of parts) stdout.write(`${front}${printable(line)}\n`)
      }
      if (rest !== '') stdout.write(`${front}${printable(rest)}\n`)
    }
  } catch {
    // It is gone or has not begun; the journal has what it said.
    if (!context.signal.aborted) tell('nothing to be read')
  }
}

/** Why a pod has no log yet, where something is wrong. */
function waitText(pod: Pod): string | undefined {
  const state = podState(pod)
  if (!isTroubled(state) || pod.status?.phase !== 'Pending') return undefined
  return `pod ${state.name} waits: ${state.state}${state.message === undefined ? '' : `, ${state.message}`}`
}

/** A pod that has not started has no log yet. */
async function untilStarted(
  { runtime, signal }: CliContext,
  { client, namespace }: Place,
  { carrier: { kind, name }, ended, tell }: Required<Omit<Streamed, 'hook'>> & { tell(text: string): void },
) {
  const done = new AbortController()
  let said: string | undefined
  const reflector = createReflector<Pod>(client.of(resources.pods), runtime, {
    namespace,
    ...(kind === 'Job'
      ? { labelSelector: `batch.kubernetes.io/job-name=${name}` }
      : { fieldSelector: `metadata.name=${name}` }),
    project: (object) => object as Pod,
  })
  reflector.cache.subscribe((change) => {
    if (change.type === 'deleted' || (change.value.status?.phase ?? 'Pending') !== 'Pending') return done.abort()
    const waiting = waitText(change.value)
    if (waiting !== undefined && waiting !== said) tell(waiting)
    said = waiting
  })
  await reflector.run(AbortSignal.any([signal, ended, done.signal]))
}
