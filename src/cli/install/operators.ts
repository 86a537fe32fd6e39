/** Operators that somebody has installed, as far as whoever installs another one must know of them. */
import type { KubeClient } from '../../kube/client/client.ts'
import { isForbidden, isNotFound } from '../../kube/errors.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import { installationSelector } from '../../rollouts/labels.ts'
import { CarabinerError } from '../../runtime/errors.ts'

export type Operator = KubeObject & {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly args?: readonly string[] }[] } }
  }
}

export function runsRollouts({ spec }: Operator): boolean {
  const args = spec.template.spec.containers[0]?.args
  return args !== undefined && !args.includes('--no-rollouts')
}

/** Refuses a second one for rollouts: there is one gate, and both would write to every policy. */
export async function refuseRival(client: KubeClient, { namespace }: { readonly namespace: string }): Promise<void> {
  const deployments = client.of<Operator>(resources.deployments)
  const operators = await ifAny(async () => (await deployments.list({ labelSelector: installationSelector })).items)
  const rival = operators.find((one) => one.metadata.namespace !== namespace && runsRollouts(one))
  if (rival === undefined) return
  const { namespace: place, name } = rival.metadata
  throw new CarabinerError(
    'CRB_INSTALLED_ELSEWHERE',
    `Deployment ${place}/${name} runs rollouts already: it and one in namespace ${namespace} would take the gate and every policy from each other`,
    { remedy: `Install with -n ${place}, take that one away first, or leave rollouts out with --no-rollouts.` },
  )
}

/** What the API server does not have or does not show is none of ours. */
export async function ifAny<T>(ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await ask()
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return []
    throw error
  }
}
