/** The reconcile loop of the ReplicaSet controller: claims pods, creates or deletes some, writes the status. */

import type { ReconcileResult } from '../../../kube/controller/index.ts'
import { isNamespaceEnding, isNotFound } from '../../../kube/index.ts'
import { type Pod, type ReplicaSet, resources } from '../../../kube/kinds/index.ts'
import { selects } from '../../kinds/selector.ts'
import { claimWrites, controllerOf, controllerRef, decideClaims } from '../claims/controller-refs.ts'
import { type Controller, type ControllerContext, debounced, enqueueAll } from '../loop/controller.ts'
import { Expectations } from '../loop/expectations.ts'
import { indexNames } from '../loop/informers.ts'
import { perform } from '../loop/perform.ts'
import { routeToOwners } from '../loop/routes.ts'
import { writeStatus } from '../loop/status.ts'
import { apiErrorMessage, PodControl } from '../pods/control.ts'
import { slowStartBatches } from '../pods/slow-start.ts'
import { isActive, isTerminating, nextAvailability } from '../pods/state.ts'
import { podFromTemplate } from '../pods/template.ts'
import { decideReplicas, type ReplicaChange, type ReplicaSetWorld, replicaSetStatus, statusChanged } from './decide.ts'

export function replicaSetController({ client, informers, runtime, record }: ControllerContext): Controller {
  const replicaSets = informers.of<ReplicaSet>(resources.replicaSets)
  const pods = informers.of<Pod>(resources.pods)
  const expectations = new Expectations(runtime.clock)
  const podControl = new PodControl(client, record)

  async function observe(replicaSet: ReplicaSet): Promise<ReplicaSetWorld> {
    const { metadata, spec } = replicaSet
    const owned = pods.by(indexNames.controller, metadata.uid ?? '')
    const candidates = [...owned, ...pods.by(indexNames.orphans, metadata.namespace ?? '')].filter(isActive)
    const claims = decideClaims(replicaSet, spec.selector, candidates)
    const writes = claimWrites(replicaSet, resources.replicaSets, resources.pods, claims)
    await perform(client, record, { writes, why: 'adopt and release' })
    return {
      replicaSet,
      active: [...claims.kept, ...claims.adopted],
      terminating: owned.filter((pod) => isTerminating(pod) && selects(spec.selector, pod.metadata.labels)),
      related: () => relatedPods(replicaSet),
    }
  }

  function relatedPods(replicaSet: ReplicaSet): readonly Pod[] {
    const owner = controllerOf(replicaSet)?.uid
    const family = owner === undefined ? [replicaSet] : replicaSets.by(indexNames.controller, owner)
    return family.flatMap(({ metadata }) => pods.by(indexNames.controller, metadata.uid ?? ''))
  }

  /** Returns the first failure, if any; the sync is then retried. */
  async function change(key: string, replicaSet: ReplicaSet, { create, remove }: ReplicaChange): Promise<unknown> {
    if (create > 0) {
      expectations.expect(key, create)
      const owner = controllerRef(replicaSet, resources.replicaSets)
      const { done, failure } = await slowStartBatches(create, async () => {
        try {
          await podControl.create(podFromTemplate(replicaSet.spec.template, replicaSet, owner), replicaSet)
        } catch (error) {
          if (!isNamespaceEnding(error)) throw error
        }
      })
      for (let missing = create - done; missing > 0; missing--) expectations.created(key)
      return failure
    }
    if (remove.length === 0) return undefined
    expectations.expect(
      key,
      0,
      remove.map(({ metadata }) => metadata.uid ?? ''),
    )
    const results = await Promise.allSettled(
      remove.map(async (pod) => {
        try {
          await podControl.delete(pod, replicaSet)
        } catch (error) {
          expectations.deleted(key, pod.metadata.uid ?? '')
          if (!isNotFound(error)) throw new Error(`unable to delete pods: ${apiErrorMessage(error)}`, { cause: error })
        }
      }),
    )
    return results.find((result) => result.status === 'rejected')?.reason
  }

  return {
    name: 'replicaset-controller',
    watch(enqueue) {
      enqueueAll(replicaSets, enqueue)
      routeToOwners({
        dependents: pods,
        ownerKind: 'ReplicaSet',
        owners: replicaSets,
        enqueue: debounced(enqueue),
        created: (key) => expectations.created(key),
        deleted: (key, pod) => expectations.deleted(key, pod.metadata.uid ?? ''),
      })
    },
    async sync(key): Promise<ReconcileResult | undefined> {
      const replicaSet = replicaSets.get(key)
      if (replicaSet === undefined) {
        expectations.forget(key)
        return undefined
      }
      const expectationsSatisfied = expectations.satisfied(key)
      const world = await observe(replicaSet)
      const failure = expectationsSatisfied
        ? await change(key, replicaSet, decideReplicas(world, runtime.clock.now()))
        : undefined
      const now = runtime.clock.now()
      const status = replicaSetStatus(world, failure === undefined ? undefined : apiErrorMessage(failure), now)
      if (statusChanged(replicaSet.status, status))
        await writeStatus(client.of(resources.replicaSets), replicaSet, status)
      if (failure !== undefined) return { retry: true }
      const wait = nextAvailability(world.active, replicaSet.spec.minReadySeconds ?? 0, now)
      return wait === undefined ? undefined : { requeueAfterMs: wait }
    },
  }
}
