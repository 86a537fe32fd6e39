/**
 * Whether a decision still holds. Caches are filled independently; where one that is behind would make a hook run twice or fail, the server is
 * read. When it shows something else, nothing is written until the caches show it too.
 */
import { projectHookObject } from '../../hooks/index.ts'
import { isNotFound, type KubeClient, type KubeObject, unless } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { Decision, ObjectReference } from '../decide/index.ts'
import { policyType } from '../observe/index.ts'
import type { RolloutPolicy } from '../policy/types.ts'

export async function holds(client: KubeClient, { metadata }: RolloutPolicy, decision: Decision): Promise<boolean> {
  const { name, namespace = '', resourceVersion } = metadata
  for (const object of decision.gone) {
    const found = await read(client, namespace, object)
    if (isSame(found, object)) return false
  }
  for (const { kind, object } of decision.tidy) {
    if (kind !== 'remove-stray') continue
    const found = await read(client, namespace, object)
    // A run that our cache shows as running may have failed meanwhile, and then its object may be retained.
    if (isSame(found, object) && projectHookObject(found).observation.state !== object.observation.state) return false
  }
  if (decision.guard !== 'reread') return true
  const stored = await client.of(policyType).get(name, { namespace })
  return stored.metadata.resourceVersion === resourceVersion
}

function read(client: KubeClient, namespace: string, { kind, name }: ObjectReference): Promise<KubeObject | undefined> {
  const handle = client.of(kind === 'Job' ? resources.jobs : resources.pods)
  return handle.get(name, { namespace }).catch(unless(isNotFound))
}

/** Not an object that was created later under its name. */
function isSame(found: KubeObject | undefined, { uid }: ObjectReference): found is KubeObject {
  return found !== undefined && found.metadata.uid === (uid ?? found.metadata.uid)
}
