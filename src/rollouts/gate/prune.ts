/** One gate at a time: a webhook that no process serves any more would refuse every change, and policies of an older version would bind. */
import { isForbidden, isNotFound, type KubeClient, type KubeObject, unless } from '../../kube/index.ts'
import { append, type Runtime } from '../../runtime/index.ts'
import { installationSelector } from '../labels.ts'
import { registrations } from './kinds.ts'

/**
 * Milliseconds until a gate that has just been written is in force. API servers look for changed policies once a second, each for itself, and
 * nothing tells when the last has; two gates at once do no harm, none would let a change through.
 */
const noticing = 3_000

/** What the API server does not have or does not show us is not ours to remove. */
const ifNotOurs = unless(isNotFound, isForbidden)

/** Removes what is registered in our name and not among `kept`, when those are in force; says what that was. */
export async function removeOtherGates(
  client: KubeClient,
  { clock }: Pick<Runtime, 'clock'>,
  kept: readonly KubeObject[],
  signal: AbortSignal,
): Promise<readonly { readonly kind: string; readonly name: string }[]> {
  const others = await otherGates(client, kept)
  if (others.length > 0 && kept.length > 0) await clock.sleep(noticing, signal)
  const removed: { kind: string; name: string }[] = []
  for (const { type, name } of others) {
    const isGone = await client
      .of(type)
      .delete(name)
      .then(() => true, ifNotOurs)
    if (isGone) removed.push({ kind: type.kind, name })
  }
  return removed
}

async function otherGates(client: KubeClient, kept: readonly KubeObject[]) {
  const found: { readonly type: (typeof registrations)[keyof typeof registrations]; readonly name: string }[] = []
  for (const type of Object.values(registrations)) {
    const names = new Set(kept.filter(({ kind }) => kind === type.kind).map(({ metadata }) => metadata.name))
    const list = await client.of(type).list({ labelSelector: installationSelector }).catch(ifNotOurs)
    const others = list?.items.filter(({ metadata }) => !names.has(metadata.name)) ?? []
    append(
      found,
      others.map(({ metadata }) => ({ type, name: metadata.name })),
    )
  }
  return found
}
