/** The reconcile loop of the Deployment controller: reads the caches, decides, performs the writes. */

import type { ReconcileResult } from '../../../kube/controller/index.ts'
import { isAlreadyExists, isNamespaceEnding } from '../../../kube/index.ts'
import { type Deployment, type Pod, type ReplicaSet, resources } from '../../../kube/kinds/index.ts'
import { claimWrites, controllerOf, decideClaims } from '../claims/controller-refs.ts'
import { type Controller, type ControllerContext, debounced, enqueueAll } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { perform, WriteFailed } from '../loop/perform.ts'
import { routeToOwners } from '../loop/routes.ts'
import { apiErrorMessage } from '../pods/control.ts'
import { creationFailed, decideDeployment } from './decide.ts'

export function deploymentController({ client, informers, runtime, record }: ControllerContext): Controller {
  const deployments = informers.of<Deployment>(resources.deployments)
  const replicaSets = informers.of<ReplicaSet>(resources.replicaSets)
  const pods = informers.of<Pod>(resources.pods)
  const podsOf = (replicaSet: ReplicaSet) => pods.by(indexNames.controller, replicaSet.metadata.uid ?? '')

  /** A Deployment with strategy Recreate waits until the last old pod is deleted. */
  function onPodDeleted(pod: Pod, enqueue: (key: string) => void): void {
    const owner = controllerOf(pod)
    if (owner?.kind !== 'ReplicaSet') return
    const replicaSet = replicaSets.get(`${pod.metadata.namespace}/${owner.name}`)
    const reference = replicaSet && controllerOf(replicaSet)
    if (reference?.kind !== 'Deployment') return
    const key = `${pod.metadata.namespace}/${reference.name}`
    if (deployments.get(key)?.spec.strategy?.type === 'Recreate') enqueue(key)
  }

  async function claimed(deployment: Deployment): Promise<readonly ReplicaSet[]> {
    const { metadata, spec } = deployment
    const candidates = [
      ...replicaSets.by(indexNames.controller, metadata.uid ?? ''),
      ...replicaSets.by(indexNames.orphans, metadata.namespace ?? ''),
    ]
    const claims = decideClaims(deployment, spec.selector, candidates)
    const writes = claimWrites(deployment, resources.deployments, resources.replicaSets, claims)
    await perform(client, record, { writes, why: 'adopt and release' })
    return [...claims.kept, ...claims.adopted]
  }

  return {
    name: 'deployment-controller',
    watch(enqueue) {
      enqueueAll(deployments, enqueue)
      routeToOwners({
        dependents: replicaSets,
        ownerKind: 'Deployment',
        owners: deployments,
        enqueue: debounced(enqueue),
      })
      pods.subscribe((change) => {
        if (change.type === 'deleted') onPodDeleted(change.previous, enqueue)
      })
    },
    async sync(key): Promise<ReconcileResult | undefined> {
      const deployment = deployments.get(key)
      if (deployment === undefined) return undefined
      const mine = await claimed(deployment)
      const named = (name: string) => replicaSets.get(`${deployment.metadata.namespace}/${name}`)
      const decision = decideDeployment({ deployment, replicaSets: mine, podsOf, named }, runtime.clock.now())
      try {
        await perform(client, record, decision)
      } catch (error) {
        if (!(error instanceof WriteFailed) || error.write.verb !== 'create') throw error
        if (isAlreadyExists(error.cause) || isNamespaceEnding(error.cause)) return { retry: true }
        const { name } = error.write.object.metadata
        await perform(
          client,
          record,
          creationFailed(deployment, name, apiErrorMessage(error.cause), runtime.clock.now()),
        )
        return { retry: true }
      }
      if (decision.retry === true) return { retry: true }
      const { requeueAfterMs } = decision
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs }
    },
  }
}
