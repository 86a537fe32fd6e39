/** Helm's own records of the revisions of a release, where helm itself offers no way to get rid of one. */
import type { KubeClient } from '../kube/client/client.ts'
import { isNotFound } from '../kube/errors.ts'
import { resources } from '../kube/kinds/index.ts'

export interface ReleaseName {
  readonly name: string
  readonly namespace: string
}

/**
 * Removes revisions that an interrupted run left pending, because helm would refuse to touch the release for ever.
 * @returns whether there are others
 */
export async function removePending(
  client: KubeClient,
  { name, namespace }: ReleaseName,
  signal: AbortSignal,
  storage = resources.secrets,
): Promise<boolean> {
  const records = client.of(storage)
  const { items } = await records.list({ namespace, labelSelector: `owner=helm,name=${name}`, signal })
  const pending = items.filter(({ metadata }) => metadata.labels?.['status']?.startsWith('pending-') === true)
  for (const { metadata } of pending) {
    await records.delete(metadata.name, { namespace, signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
  }
  return items.length > pending.length
}
