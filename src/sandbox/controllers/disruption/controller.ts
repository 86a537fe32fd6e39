/**
 * The reconcile loop of the disruption controller: updates the status of PodDisruptionBudgets, which the API server
 * uses to allow evictions.
 */

import type { KubeObject } from '../../../kube/index.ts'
import {
  type Deployment,
  type Pod,
  type PodDisruptionBudget,
  type ReplicaSet,
  resources,
  type StatefulSet,
} from '../../../kube/kinds/index.ts'
import { selects } from '../../kinds/selector.ts'
import { controllerOf } from '../claims/controller-refs.ts'
import { event } from '../decisions/decision.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { statusChanged } from '../replicaset/decide.ts'
import { type BudgetDecision, decideBudget, failedBudget } from './decide.ts'

/** Workload kinds without a scale subresource. */
const unscalables: Readonly<Record<string, string>> = { DaemonSet: 'daemonsets.apps', Job: 'jobs.batch' }

class Unscalable extends Error {
  constructor(resource: string) {
    super(`${resource} does not implement the scale subresource`)
  }
}

type Scaled = KubeObject & { readonly spec: { readonly replicas?: number } }

export function disruptionController({ client, informers, runtime, record }: ControllerContext): Controller {
  const budgets = informers.of<PodDisruptionBudget>(resources.podDisruptionBudgets)
  const pods = informers.of<Pod>(resources.pods)
  const replicaSets = informers.of<ReplicaSet>(resources.replicaSets)
  const deployments = informers.of<Deployment>(resources.deployments)
  const statefulSets = informers.of<StatefulSet>(resources.statefulSets)

  /** The owner that defines the replica count: the Deployment of a ReplicaSet, else the ReplicaSet. */
  function scalerOf(object: KubeObject): Scaled | undefined {
    const owner = controllerOf(object)
    const key = `${object.metadata.namespace}/${owner?.name}`
    if (owner?.kind === 'StatefulSet') return statefulSets.get(key)
    const unscalable = unscalables[owner?.kind ?? '']
    if (unscalable !== undefined) throw new Unscalable(unscalable)
    if (owner?.kind !== 'ReplicaSet') return undefined
    const replicaSet = replicaSets.get(key)
    const above = replicaSet && controllerOf(replicaSet)
    return above?.kind === 'Deployment' ? deployments.get(`${object.metadata.namespace}/${above.name}`) : replicaSet
  }

  function scaleOf(mine: readonly Pod[]): number {
    const scalers = new Map<string, number>()
    for (const pod of mine) {
      const scaler = scalerOf(pod)
      if (scaler !== undefined) scalers.set(scaler.metadata.uid ?? '', scaler.spec.replicas ?? 1)
    }
    return [...scalers.values()].reduce((sum, replicas) => sum + replicas, 0)
  }

  function decide(budget: PodDisruptionBudget, mine: readonly Pod[]): BudgetDecision {
    const now = runtime.clock.now()
    const counted = typeof budget.spec.minAvailable === 'number'
    try {
      return decideBudget(budget, mine, counted ? 0 : scaleOf(mine), now)
    } catch (error) {
      if (!(error instanceof Unscalable)) throw error
      const message = `Failed to calculate the number of expected pods: ${error.message}`
      record(event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message))
      return { status: failedBudget(budget, error.message, now) }
    }
  }

  return {
    name: 'disruption-controller',
    component: 'controllermanager',
    watch(enqueue) {
      enqueueAll(budgets, enqueue)
      pods.subscribe((change) => {
        const pod = change.type === 'deleted' ? change.previous : change.value
        for (const { metadata, spec } of budgets.by(indexNames.namespace, pod.metadata.namespace ?? '')) {
          if (selects(spec.selector, pod.metadata.labels)) enqueue(`${metadata.namespace}/${metadata.name}`)
        }
      })
      for (const scalers of [deployments, replicaSets, statefulSets]) {
        scalers.subscribe((change) => {
          if (change.type !== 'updated' || change.previous.spec.replicas === change.value.spec.replicas) return
          for (const { metadata } of budgets.by(indexNames.namespace, change.value.metadata.namespace ?? '')) {
            enqueue(`${metadata.namespace}/${metadata.name}`)
          }
        })
      }
    },
    async sync(key) {
      const budget = budgets.get(key)
      if (budget === undefined) return undefined
      const { namespace = '' } = budget.metadata
      const mine = pods
        .by(indexNames.namespace, namespace)
        .filter((pod) => selects(budget.spec.selector, pod.metadata.labels))
      if (mine.length === 0) record(event(budget, 'Normal', 'NoPods', 'No matching pods found'))
      const { status, requeueAfterMs } = decide(budget, mine)
      if (statusChanged(budget.status, status)) {
        const handle = client.of<PodDisruptionBudget>(resources.podDisruptionBudgets)
        await handle.update({ ...budget, status }, { subresource: 'status' })
      }
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs }
    },
  }
}
