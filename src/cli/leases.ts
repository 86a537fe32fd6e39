/** The Leases of operators, and which of them are held. A process that was killed leaves its Lease held in appearance. */
import { isForbidden, type KubeClient } from '../kube/index.ts'
import { type Lease, resources } from '../kube/kinds/index.ts'
import { leaseSelector, settings } from '../operator/index.ts'
import type { Clock } from '../runtime/index.ts'

/** A leader renews every four seconds. */
const renewalMs = 6_000
const pollMs = 500

/** The Leases with the label of operators, and those with the default name, which older operators do not label. Without the right to list all: in the default namespace. */
export async function operatorLeases(client: KubeClient): Promise<readonly Lease[]> {
  const handle = client.of(resources.leases)
  const fieldSelector = `metadata.name=${settings.leaseName.default}`
  const lists = [{ labelSelector: leaseSelector }, { fieldSelector }].map(async (which) => {
    const found = await handle.list(which).catch((error: unknown) => {
      if (!isForbidden(error)) throw error
      return handle.list({ ...which, namespace: settings.leaseNamespace.default })
    })
    return found.items
  })
  const all = (await Promise.all(lists)).flat()
  return [...new Map(all.map((lease) => [leaseName(lease), lease])).values()]
}

export function leaseName({ metadata }: Lease): string {
  return `${metadata.namespace}/${metadata.name}`
}

export function renewedAt({ spec }: Lease): number {
  return Date.parse(spec?.renewTime ?? spec?.acquireTime ?? '') || 0
}

/** The holder renewed it in time, by the clock of this machine. */
export function seemsHeld(lease: Lease, clock: Clock): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {}
  return holderIdentity !== '' && clock.now() - renewedAt(lease) < leaseDurationSeconds * 1000
}

export interface Watching {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** @default longer than a leader takes to renew its lease */
  readonly withinMs?: number
}

/** Watches whether the holder renews it, which does not depend on the clocks of two machines. Without a holder it is not renewed. */
export async function isRenewed(
  client: KubeClient,
  lease: Lease,
  { clock, signal, withinMs = renewalMs }: Watching,
): Promise<boolean> {
  if ((lease.spec?.holderIdentity ?? '') === '') return false
  const { name, namespace } = lease.metadata
  const deadline = clock.monotonic() + withinMs
  while (clock.monotonic() < deadline) {
    await clock.sleep(pollMs, signal)
    const { spec } = await client.of(resources.leases).get(name, namespace === undefined ? {} : { namespace })
    if ((spec?.holderIdentity ?? '') === '') return false
    if (spec?.renewTime !== lease.spec?.renewTime) return true
  }
  return false
}
