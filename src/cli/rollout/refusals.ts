/** Why hooks of the rollout under way cannot be started, as events tell: by the ledger alone they look as if they ran. */

import type { KubeObject } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { RolloutPolicy } from '../../rollouts/index.ts'
import type { Place } from '../place.ts'

interface CoreEvent extends KubeObject {
  readonly message?: string
  readonly eventTime?: string
  readonly series?: { readonly lastObservedTime?: string }
}

/** By the name of the hook. The status is shown to users who may not read events, too. */
export async function refusalsOf(
  { client, namespace }: Place,
  { metadata: { uid }, status }: RolloutPolicy,
): Promise<ReadonlyMap<string, string>> {
  const { hooks = [], startedAt = '', endedAt } = status?.rollout ?? {}
  const waiting = hooks.filter(
    ({ state, object }) => state === 'Running' && object !== undefined && object.uid === undefined,
  )
  if (endedAt !== undefined || waiting.length === 0) return new Map()
  const fieldSelector = `reason=HookNotStarted,involvedObject.uid=${uid}`
  const events = await client
    .of<CoreEvent>(resources.coreEvents)
    .list({ namespace, fieldSelector })
    .catch(() => ({ items: [] }))
  const recent = events.items.filter((event) => Date.parse(timeOf(event)) >= Date.parse(startedAt))
  const refusals = new Map<string, string>()
  for (const { name, object } of waiting) {
    const front = `hook ${name}: `
    const last = recent.findLast(({ message }) => message?.startsWith(front))
    if (last?.message === undefined || object === undefined) continue
    // It may have been started since; the ledger learns that in its own time.
    const type = object.kind === 'Job' ? resources.jobs : resources.pods
    const isThere = await client
      .of(type)
      .get(object.name, { namespace })
      .then(
        () => true,
        () => false,
      )
    if (!isThere) refusals.set(name, `not started: ${last.message.slice(front.length)}`)
  }
  return refusals
}

function timeOf({ series, eventTime, metadata }: CoreEvent): string {
  return series?.lastObservedTime ?? eventTime ?? metadata.creationTimestamp ?? ''
}
