/** One gate at a time: a webhook that nobody serves any more would refuse every change, and policies of an older version would bind. */
import type { KubeClient } from '../../kube/client/client.ts'
import { isForbidden, isNotFound } from '../../kube/errors.ts'
import type { KubeObject } from '../../kube/object.ts'
import { installationSelector } from '../labels.ts'
import { registrations } from './kinds.ts'

/** Removes what is registered in our name and not among `kept`; says what that was. */
export async function removeOtherGates(
  client: KubeClient,
  kept: readonly KubeObject[],
): Promise<readonly { readonly kind: string; readonly name: string }[]> {
  const removed: { kind: string; name: string }[] = []
  for (const type of Object.values(registrations)) {
    const names = new Set(kept.filter(({ kind }) => kind === type.kind).map(({ metadata }) => metadata.name))
    try {
      const { items } = await client.of(type).list({ labelSelector: installationSelector })
      for (const { metadata } of items.filter(({ metadata: one }) => !names.has(one.name))) {
        await client.of(type).delete(metadata.name)
        removed.push({ kind: type.kind, name: metadata.name })
      }
    } catch (error) {
      // What the API server does not have or does not show us is not ours to remove.
      if (!isNotFound(error) && !isForbidden(error)) throw error
    }
  }
  return removed
}
