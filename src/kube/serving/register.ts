/**
 * Registers webhooks with server-side apply. A registration has either a URL or a Service; apply keeps the field that another field manager
 * has set, and the API server refuses an object with both. Therefore a registration that is reached in another way is changed first.
 */
import type { ResourceClient } from '../client/client.ts'
import { isConflict, isNotFound, unless } from '../errors.ts'
import type { KubeObject } from '../object.ts'

interface Webhook {
  readonly name: string
  readonly clientConfig: { readonly url?: string; readonly service?: object }
}

type Configuration = KubeObject & { readonly webhooks?: readonly Webhook[] }

export interface Applying {
  readonly fieldManager: string
  /** The API server only says whether it would accept the object. @default false */
  readonly dryRun?: boolean
}

export async function applyWebhooks(
  handle: ResourceClient,
  configuration: KubeObject,
  applying: Applying,
): Promise<void> {
  let reached = await reachedAs(handle, configuration, applying)
  while (reached === 'unknown') reached = await reachedAs(handle, configuration, applying)
  // A change that was only tried is not there: the API server would refuse the rest.
  if (reached === 'changed' && applying.dryRun === true) return
  await handle.apply(configuration, { ...applying, force: true })
}

/** Changes how the registration is reached, if it has to be; `unknown` when another replica was faster and the result has to be looked at again. */
async function reachedAs(
  handle: ResourceClient,
  configuration: KubeObject,
  applying: Applying,
): Promise<'same' | 'changed' | 'unknown'> {
  const found = await handle.get(configuration.metadata.name).catch(unless(isNotFound))
  const changed = found === undefined ? [] : changesOf(found, configuration)
  if (changed.length === 0) return 'same'
  // Only at the version that was read, because positions in the list belong to it: another version is a conflict.
  const isSame = { op: 'replace', path: '/metadata/resourceVersion', value: found?.metadata.resourceVersion }
  const patch = { type: 'json', operations: [isSame, ...changed] } as const
  const written = await handle.patch(configuration.metadata.name, patch, applying).catch(unless(isConflict))
  return written === undefined ? 'unknown' : 'changed'
}

function changesOf(found: Configuration, wanted: Configuration): readonly object[] {
  return (found.webhooks ?? []).flatMap(({ name, clientConfig }, index) => {
    const value = wanted.webhooks?.find((webhook) => webhook.name === name)?.clientConfig
    if (value === undefined || isByUrl(value) === isByUrl(clientConfig)) return []
    return [{ op: 'replace', path: `/webhooks/${index}/clientConfig`, value }]
  })
}

function isByUrl({ url }: Webhook['clientConfig']): boolean {
  return url !== undefined
}
