/** Finds the operators by their Leases, whatever their names and namespaces. */
import type { KubeClient } from '../../kube/index.ts'
import type { Lease } from '../../kube/kinds/index.ts'
import { holderOf } from '../../operator/index.ts'
import { policyType } from '../../rollouts/index.ts'
import type { Clock } from '../../runtime/index.ts'
import { isRenewed, leaseName, operatorLeases, renewedAt, seemsHeld } from '../leases.ts'
import { programVersion } from '../program-version.ts'
import { span } from '../terminal/span.ts'
import type { Finding } from './finding.ts'

const name = 'operator'

/** Without a Lease there is no finding: no operator may have been installed yet. */
export async function operatorFindings(
  client: KubeClient,
  watching: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  const leases = (await operatorLeases(client)).toSorted((a, b) => renewedAt(b) - renewedAt(a))
  const held = await heldOf(client, leases, watching)
  if (held.length === 0) return withoutLeader(client, leases, watching.clock)
  const rivals = held.filter((lease) => holderOf(lease).surfaces.includes('rollouts'))
  return [...held.map(leader), ...(rivals.length < 2 ? [] : [twoOperators(rivals)])]
}

/** The clock of the holder may be another one: a Lease that looks old is watched before it counts as free. */
async function heldOf(
  client: KubeClient,
  leases: readonly Lease[],
  watching: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Lease[]> {
  const held = leases.filter((lease) => seemsHeld(lease, watching.clock))
  if (held.length > 0) return held
  const renewed = await Promise.all(leases.map((lease) => isRenewed(client, lease, watching)))
  return leases.filter((_, index) => renewed[index])
}

function leader(lease: Lease): Finding {
  const { version, surfaces } = holderOf(lease)
  const facts = [
    `Lease ${leaseName(lease)}`,
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(surfaces.length === 0 ? [] : [`surfaces ${surfaces.join(', ')}`]),
  ]
  const detail = `${lease.spec?.holderIdentity} is leader (${facts.join('; ')})`
  const own = programVersion()
  if (version === undefined || version === own) return { name, state: 'works', detail }
  const remedy = `This program has version ${own}: use the same version, or install the operator again with this one.`
  return { name, state: 'optional', detail, remedy }
}

function twoOperators(rivals: readonly Lease[]): Finding {
  return {
    name,
    state: 'missing',
    detail: `${rivals.length} operators run rollouts (${rivals.map((lease) => `Lease ${leaseName(lease)}`).join(', ')})`,
    remedy: 'Stop all but one: each overwrites the gate and every policy of the other.',
  }
}

async function withoutLeader(client: KubeClient, leases: readonly Lease[], clock: Clock): Promise<readonly Finding[]> {
  const [latest] = leases
  const hasPolicies = await client
    .of(policyType)
    .list({ limit: 1 })
    .then(({ items }) => items.length > 0)
    .catch(() => false)
  if (latest === undefined && !hasPolicies) return []
  const age = latest && Math.max(0, clock.now() - renewedAt(latest))
  const where = latest === undefined ? 'no Lease' : `Lease ${leaseName(latest)}`
  return [
    {
      name,
      state: hasPolicies ? 'missing' : 'optional',
      detail: `no leader${age === undefined ? '' : ` for ${span(age)}`} (${where})`,
      remedy:
        'Check its pods (kubectl get pods -n carabiner) or start it; without a leader, workloads with a policy do not roll out. An operator with --leader-election false has no Lease.',
    },
  ]
}
