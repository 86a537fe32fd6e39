/**
 * A workload that is not held belongs to its owner alone. The fields that the engine has written stay, but the engine gives up their ownership:
 * otherwise a server-side apply of the owner would conflict with it, and the API server would process one manager more at every write.
 */
import {
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  type KubeObject,
  type ResourceClient,
  unless,
} from '../../kube/index.ts'
import { holdLabel } from '../labels.ts'

/** Of everything the engine writes into a workload, but for its status. */
export const workloadManager = 'carabiner-rollouts'

interface Manager {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
}

/** How often the managers are read again, because others who wrote have changed their order. */
const tries = 3

/** `written` is what the server answered to the engine's last write, with the managers. Resolves to what is stored in the end. */
export async function disown(handle: ResourceClient, written: KubeObject): Promise<KubeObject> {
  let seen = written
  for (let tried = 0; tried < tries; tried++) {
    const operations = isHeld(seen) ? undefined : withoutManager(seen)
    if (operations === undefined) return seen
    const { name, namespace = '' } = seen.metadata
    const at = { namespace, answer: 'managers' } as const
    const stored = await handle.patch(name, { type: 'json', operations }, at).catch(unless(isInvalid, ...others))
    const next = stored ?? (await handle.get(name, at).catch(unless(...others)))
    if (next === undefined) return seen
    seen = next
  }
  return seen
}

/** An engine that may not do it, or comes too late, skips it: nothing depends on it. */
const others = [isNotFound, isConflict, isForbidden] as const

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.labels?.[holdLabel] !== undefined
}

/** Undefined when there is nothing to take away. Refused when the managers stand in another order by then, or it is another object. */
function withoutManager({ metadata }: KubeObject): readonly object[] | undefined {
  const managers = (metadata.managedFields ?? []) as readonly Manager[]
  const index = managers.findIndex(
    ({ manager, operation, subresource }) =>
      manager === workloadManager && operation === 'Update' && subresource === undefined,
  )
  if (index < 0) return undefined
  const path = `/metadata/managedFields/${index}`
  return [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: `${path}/manager`, value: workloadManager },
    { op: 'test', path: `${path}/operation`, value: 'Update' },
    { op: 'remove', path },
  ]
}
