/** Finds operators that are already installed. */
import { isForbidden, isNotFound, type KubeClient, type KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { holderOf } from '../../operator/index.ts'
import { installationSelector } from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { isRenewed, leaseName, operatorLeases } from '../leases.ts'

export type Operator = KubeObject & {
  readonly spec: {
    readonly replicas?: number
    readonly template: { readonly spec: { readonly containers: readonly { readonly args?: readonly string[] }[] } }
  }
}

export function runsRollouts({ spec }: Operator): boolean {
  const args = spec.template.spec.containers[0]?.args
  return args !== undefined && !args.includes('--no-rollouts')
}

/** Refuses a second operator for rollouts: the gate exists once per cluster, and both would write to every policy. */
export async function refuseSecondOperator(
  client: KubeClient,
  { namespace }: { readonly namespace: string },
): Promise<void> {
  const deployments = client.of<Operator>(resources.deployments)
  const operators = await ifAny(async () => (await deployments.list({ labelSelector: installationSelector })).items)
  const other = operators.find((one) => one.metadata.namespace !== namespace && runsRollouts(one))
  if (other === undefined) return
  const { namespace: place, name } = other.metadata
  throw new CarabinerError(
    'CRB_INSTALLED_ELSEWHERE',
    `Deployment ${place}/${name} already runs rollouts: with an operator in namespace ${namespace}, both would overwrite the gate and every policy of the other`,
    { remedy: `Install with -n ${place}, remove that operator first, or leave rollouts out with --no-rollouts.` },
  )
}

/** Refuses an operator outside the cluster beside an installed one that runs. */
export async function refuseInstalledOperator(client: KubeClient): Promise<void> {
  const deployments = client.of<Operator>(resources.deployments)
  const operators = await ifAny(async () => (await deployments.list({ labelSelector: installationSelector })).items)
  const other = operators.find((one) => one.spec.replicas !== 0 && runsRollouts(one))
  if (other === undefined) return
  const { namespace, name } = other.metadata
  throw new CarabinerError(
    'CRB_INSTALLED_ELSEWHERE',
    `Deployment ${namespace}/${name} runs rollouts in this cluster: a second operator and the first would overwrite the gate and every policy of each other`,
    { remedy: `Scale it down first: kubectl scale -n ${namespace} deployment/${name} --replicas=0` },
  )
}

/** Refuses an installation while an operator outside the cluster runs rollouts: it would lose its gate, and both would write to every policy. */
export async function refuseRunningOperator(
  client: KubeClient,
  { runtime: { clock }, stderr, signal }: Pick<CliContext, 'runtime' | 'stderr' | 'signal'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<void> {
  for (const lease of await operatorLeases(client)) {
    // The pods of this installation hold this one.
    if (leaseName(lease) === `${namespace}/${name}` || !holderOf(lease).surfaces.includes('rollouts')) continue
    const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {}
    // A process that was killed has not released it.
    const durationMs = leaseDurationSeconds * 1000
    if (holderIdentity !== '')
      stderr.write(
        `Lease ${leaseName(lease)} is held by ${holderIdentity}: watching for ${leaseDurationSeconds} s whether it is alive\n`,
      )
    if (!(await isRenewed(client, lease, { clock, signal, withinMs: durationMs }))) continue
    throw new CarabinerError(
      'CRB_OPERATOR_RUNS',
      `${holderIdentity} runs rollouts in this cluster (it renews Lease ${leaseName(lease)})`,
    )
  }
}

/** Empty when the resource does not exist or the user may not read it. */
export async function ifAny<T>(ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await ask()
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return []
    throw error
  }
}
