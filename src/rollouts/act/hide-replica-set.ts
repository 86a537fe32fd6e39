/** Sets a ReplicaSet apart and brings it back, in one write each. Whoever does so twice, or late, changes nothing. */
import type { KubeClient } from '../../kube/client/client.ts'
import { isNotFound, unless } from '../../kube/errors.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { Write } from '../decide/decision.ts'
import { apartFrom, backTo, isApart } from '../objects/hidden-replica-set.ts'
import type { Deployment } from '../policy/workload.ts'

type ReplicaSet = KubeObject & { readonly spec: { readonly replicas?: number } }

export async function changeSight(
  client: KubeClient,
  deployment: Deployment,
  { kind, revision: { name, uid } }: Extract<Write, { readonly kind: 'set-apart' | 'bring-back' }>,
): Promise<void> {
  const namespace = deployment.metadata.namespace ?? ''
  const handle = client.of<ReplicaSet>(resources.replicaSets)
  const set = await handle.get(name, { namespace }).catch(unless(isNotFound))
  if (set?.metadata.uid !== uid || isApart(set) === (kind === 'set-apart')) return
  // What has replicas is in use, whatever the caches show.
  if (kind === 'set-apart' && set.spec.replicas !== 0) return
  const kept = kind === 'set-apart' ? apartFrom(deployment, set) : backTo(deployment, set)
  const fields = { ...kept, resourceVersion: set.metadata.resourceVersion }
  const operations = Object.entries(fields).map(([field, value]) => {
    return { op: 'add' as const, path: `/metadata/${field}`, value }
  })
  await handle.patch(name, { type: 'json', operations }, { namespace })
}
