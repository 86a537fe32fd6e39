/** Checks by the Lease whether an operator is leader. Without a Lease there is no finding: the operator may not be installed yet. */
import type { KubeClient } from '../../kube/index.ts'
import { type Lease, resources } from '../../kube/kinds/index.ts'
import { settings } from '../../operator/index.ts'
import type { Clock } from '../../runtime/index.ts'
import { span } from '../terminal/span.ts'
import type { Finding } from './finding.ts'

/** Longer than several renewals, to tolerate clock differences. */
const maxRenewalAgeMs = 60_000

export async function operatorFinding(client: KubeClient, clock: Clock): Promise<Finding | undefined> {
  const leases = await leasesOf(client)
  const [latest] = leases.toSorted((a, b) => renewedAt(b) - renewedAt(a))
  if (latest === undefined) return undefined
  const { metadata, spec } = latest
  const where = `Lease ${metadata.namespace}/${metadata.name}`
  const age = Math.max(0, clock.now() - renewedAt(latest))
  const holder = spec?.holderIdentity ?? ''
  if (holder !== '' && age < maxRenewalAgeMs)
    return { name: 'operator', state: 'works', detail: `${holder} is leader (${where})` }
  return {
    name: 'operator',
    state: 'optional',
    detail: `no leader for ${span(age)} (${where})`,
    remedy:
      'Check its pods (kubectl get pods -n carabiner) or start it; without a leader, workloads with a policy do not roll out.',
  }
}

/** Leases in all namespaces, or in the default namespace when the user may not list all. */
async function leasesOf(client: KubeClient): Promise<readonly Lease[]> {
  const handle = client.of(resources.leases)
  const fieldSelector = `metadata.name=${settings.leaseName.default}`
  const inDefaultNamespace = () => handle.list({ fieldSelector, namespace: settings.leaseNamespace.default })
  const found = await handle.list({ fieldSelector }).catch(inDefaultNamespace)
  return found.items
}

function renewedAt({ spec }: Lease): number {
  return Date.parse(spec?.renewTime ?? spec?.acquireTime ?? '') || 0
}
