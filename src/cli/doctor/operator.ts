/** Whether an operator is at work, as its lease tells. Where none has ever led there is nothing to say: it may be about to be installed. */
import type { KubeClient } from '../../kube/client/client.ts'
import { type Lease, resources } from '../../kube/kinds/index.ts'
import { settings } from '../../operator/settings.ts'
import type { Clock } from '../../runtime/clock.ts'
import { span } from '../terminal/span.ts'
import type { Finding } from './finding.ts'

/** Milliseconds; several renewals, and clocks that differ a little. */
const alive = 60_000

export async function operatorFinding(client: KubeClient, clock: Clock): Promise<Finding | undefined> {
  const leases = await leasesOf(client)
  const [latest] = leases.toSorted((a, b) => renewedAt(b) - renewedAt(a))
  if (latest === undefined) return undefined
  const { metadata, spec } = latest
  const where = `lease ${metadata.namespace}/${metadata.name}`
  const age = Math.max(0, clock.now() - renewedAt(latest))
  const holder = spec?.holderIdentity ?? ''
  if (holder !== '' && age < alive) return { name: 'operator', state: 'works', detail: `${holder} leads (${where})` }
  return {
    name: 'operator',
    state: 'optional',
    detail: `nobody leads since ${span(age)} (${where})`,
    remedy:
      'Look at its pods (kubectl get pods -n carabiner), or run it; until then workloads with a policy do not roll out.',
  }
}

/** In every namespace, or where it is unless told otherwise; none where nobody may look. */
async function leasesOf(client: KubeClient): Promise<readonly Lease[]> {
  const handle = client.of<Lease>(resources.leases)
  const fieldSelector = `metadata.name=${settings.leaseName.default}`
  const near = () => handle.list({ fieldSelector, namespace: settings.leaseNamespace.default })
  const found = await handle.list({ fieldSelector }).catch(near)
  return found.items
}

function renewedAt({ spec }: Lease): number {
  return Date.parse(spec?.renewTime ?? spec?.acquireTime ?? '') || 0
}
