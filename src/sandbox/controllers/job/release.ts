/** Removes the tracking finalizer from a pod that is counted or will never be counted. */
import type { KubeClient } from '../../../kube/index.ts'
import { type Pod, resources } from '../../../kube/kinds/index.ts'
import { trackingFinalizer } from './pods.ts'

export async function releasePod(client: KubeClient, pod: Pod): Promise<void> {
  const { name, namespace = '', uid } = pod.metadata
  const value = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } }
  await client.of(resources.pods).patch(name, { type: 'strategic', value }, { namespace })
}
