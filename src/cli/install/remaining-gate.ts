/**
 * Refuses an installation without rollouts while a gate or policies remain: no operator would release the workloads that the gate holds.
 */
import type { KubeClient, ResourceType } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { installationSelector, policyType, registrations } from '../../rollouts/index.ts'
import { append, CarabinerError } from '../../runtime/index.ts'
import { ifAny, type Operator, runsRollouts } from './operators.ts'

/** Refuses while the installed operator runs rollouts and a gate or a policy exists. */
export async function refuseRemainingGate(
  client: KubeClient,
  place: { namespace: string; name: string },
): Promise<void> {
  const [operator] = await ifAny(() => client.of<Operator>(resources.deployments).get(place.name, place).then(only))
  if (operator === undefined || !runsRollouts(operator)) return
  const kinds: readonly (readonly [ResourceType, object])[] = [
    ...Object.values(registrations).map((type) => [type, { labelSelector: installationSelector }] as const),
    [policyType, {}],
  ]
  const left: string[] = []
  for (const [type, which] of kinds) {
    const found = await ifAny(async () => (await client.of(type).list(which)).items)
    append(
      left,
      found.map(({ metadata }) => `${type.kind} ${metadata.name}`),
    )
  }
  if (left.length === 0) return
  throw new CarabinerError(
    'CRB_GATE_UNATTENDED',
    `flag --no-rollouts: Deployment ${place.namespace}/${place.name} runs rollouts, and no other operator would release workloads held by ${left.join(', ')}`,
  )
}

function only<T>(one: T): readonly T[] {
  return [one]
}
