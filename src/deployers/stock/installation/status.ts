/**
 * The provider status of deployers that apply objects: the list of the item's objects, and since when a run waits. Reads the lists of both
 * Landscaper versions and writes the newer one.
 */
import { isJsonObject, type Json } from '../../../runtime/index.ts'
import { type ManagedResource, type Policy, policies } from '../../apply/managed.ts'
import type { DeployContext } from '../../library/deployer.ts'
import type { EmbeddedResource } from '../../resources/types.ts'

export interface InstallationStatus {
  readonly managed: readonly ManagedResource[]
  /** When the readiness checks and the exports of this run began, in RFC 3339. */
  readonly since: { readonly readiness?: string; readonly exports?: string }
  /** The run that has applied all objects; undefined until then and after its end. */
  readonly appliedIn?: string | undefined
  /** Objects that are not ready or not deleted yet. */
  readonly waitingFor: readonly string[]
}

export function readStatus(context: DeployContext<unknown>): InstallationStatus {
  const { providerStatus, lastReconcileTime } = context.deployItem.status
  const since = isJsonObject(providerStatus?.['since']) ? providerStatus['since'] : {}
  const appliedIn = providerStatus?.['appliedIn']
  const started = Date.parse(lastReconcileTime ?? '')
  // Ignore times of earlier runs; start times of runs have whole seconds.
  const isOfThisRun = (time: Json | undefined) => typeof time === 'string' && !(Date.parse(time) < started)
  return {
    managed: listed(providerStatus?.['managedResources']).flatMap(entryOf),
    since: Object.fromEntries(Object.entries(since).filter(([, time]) => isOfThisRun(time))),
    ...(typeof appliedIn === 'string' ? { appliedIn } : {}),
    waitingFor: [],
  }
}

/** `apiVersion` is the one of the deployer's configuration; `own` has additional fields. */
export function writeStatus(
  context: DeployContext<unknown>,
  apiVersion: string,
  { managed, since, appliedIn, waitingFor }: InstallationStatus,
  own: Readonly<Record<string, Json>> = {},
): void {
  const status: EmbeddedResource = {
    apiVersion,
    kind: 'ProviderStatus',
    ...own,
    managedResources: managed as unknown as Json,
    ...(appliedIn === undefined ? {} : { appliedIn }),
    ...(Object.keys(since).length === 0 ? {} : { since: { ...since } }),
    ...(waitingFor.length === 0 ? {} : { waitingFor }),
  }
  context.setProviderStatus(status)
}

function listed(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

function entryOf(entry: Json): readonly ManagedResource[] {
  if (!isJsonObject(entry)) return []
  const resource = isJsonObject(entry['resource']) ? entry['resource'] : entry
  const { apiVersion, kind, name, namespace, uid } = resource
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return []
  const { applied } = entry
  const { manifest, object } = isJsonObject(applied) ? applied : {}
  return [
    {
      policy: policies.find((policy) => policy === entry['policy']) ?? ('manage' satisfies Policy),
      resource: {
        apiVersion,
        kind,
        name,
        namespace: typeof namespace === 'string' ? namespace : '',
        ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
      },
      ...(entry['isOrphan'] === true ? { isOrphan: true } : {}),
      ...(typeof manifest === 'string' && typeof object === 'string' ? { applied: { manifest, object } } : {}),
    },
  ]
}
