/** Removes revisions of a release from helm's storage, for which helm has no command. */
import { isNotFound, type KubeClient } from '../kube/index.ts'
import { resources } from '../kube/kinds/index.ts'

export interface ReleaseName {
  readonly name: string
  readonly namespace: string
}

/**
 * Removes the pending revisions of an interrupted run: helm refuses every operation on a release with one.
 * @returns whether there are other revisions
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
