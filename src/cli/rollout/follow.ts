/** Reads a policy and its workload together, once or until no rollout is under way any more. */
import { createReflector } from '../../kube/index.ts'
import { holdLabel, policyType, type RolloutPolicy, type TargetKind, type Workload } from '../../rollouts/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import type { Outcome } from '../outcome.ts'
import type { Place } from '../place.ts'
import { outcomeOf } from './outcome.ts'
import { findPolicies, findPolicy, findTarget, workloadTypes } from './policies.ts'
import { stateOf } from './state.ts'

export interface Observed {
  readonly policy: RolloutPolicy
  readonly outcome: Outcome
}

export async function look(place: Place, reference: string): Promise<Observed> {
  const policy = await findPolicy(place, reference)
  return { policy, outcome: outcomeOf(policy, await findTarget(place, policy)) }
}

/** At all policies of the namespace, or of all namespaces. */
export async function lookAll(place: Place, everywhere: boolean): Promise<readonly Observed[]> {
  const policies = await findPolicies(place, everywhere)
  const held = await findHeld(place, policies, everywhere)
  const keyOf = ({ metadata, spec: { targetRef } }: RolloutPolicy) =>
    workloadKey(targetRef.kind, metadata.namespace, targetRef.name)
  return policies.map((policy) => ({ policy, outcome: outcomeOf(policy, held.get(keyOf(policy))) }))
}

/** Of workloads only those that are held tell more than their policies: a cluster has few of them, and many others. */
async function findHeld(
  { client, namespace }: Place,
  policies: readonly RolloutPolicy[],
  everywhere: boolean,
): Promise<ReadonlyMap<string, Workload>> {
  const held = new Map<string, Workload>()
  const where = { labelSelector: holdLabel, ...(everywhere ? {} : { namespace }) }
  for (const kind of new Set(policies.map(({ spec }) => spec.targetRef.kind))) {
    const { items } = await client.of<Workload>(workloadTypes[kind]).list(where)
    for (const workload of items)
      held.set(workloadKey(kind, workload.metadata.namespace, workload.metadata.name), workload)
  }
  return held
}

function workloadKey(kind: TargetKind, namespace: string | undefined, name: string): string {
  return `${kind} ${namespace}/${name}`
}

/** What is aborted still has hooks to run for that, and can be neither retried nor undone before they have ended. */
export function isOver({ policy, outcome }: Observed): boolean {
  const { phase, endedAt, undo } = policy.status?.rollout ?? {}
  const isEnding = phase === 'Aborted' && (endedAt === undefined || undo !== undefined)
  return outcome !== 'going' && !(isEnding && stateOf(policy) === 'Aborted')
}

/** The last observed: of the end, or of how far it was when the signal came. */
export async function follow(
  place: Place,
  runtime: Runtime,
  before: Observed,
  { signal, seen = () => undefined }: { readonly signal: AbortSignal; seen?(observed: Observed): void },
): Promise<Observed> {
  const { name } = before.policy.metadata
  const done = new AbortController()
  const reflector = createReflector<RolloutPolicy>(place.client.of(policyType), runtime, {
    namespace: place.namespace,
    fieldSelector: `metadata.name=${name}`,
    project: (object) => object as RolloutPolicy,
  })
  let observed = before
  let looking = Promise.resolve()
  // Whatever changes, the answer is that of a fresh look, as it also depends on the workload.
  const lookAgain = async () => {
    if (done.signal.aborted) return
    observed = await look(place, name)
    seen(observed)
    if (isOver(observed)) done.abort()
  }
  reflector.cache.subscribe(() => {
    looking = looking.then(lookAgain)
    looking.catch(() => done.abort())
  })
  await reflector.run(AbortSignal.any([signal, done.signal]))
  done.abort()
  await looking
  return observed
}

/** For a client that waits for a release: a rollout that was aborted and undone is at rest, and has failed. */
export function asAwaited(observed: Observed): Observed {
  const { spec, status } = observed.policy
  const undone = status?.history?.find(({ id }) => id === status.rollout?.undoOf)
  const isTakenBack = spec.onAbort === 'Undo' && undone?.phase === 'Aborted'
  return isTakenBack && observed.outcome === 'settled' ? { ...observed, outcome: 'failed' } : observed
}
