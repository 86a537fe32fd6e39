/** The reconcile loop of the DaemonSet controller: revisions, one pod per node, one step of the rolling update, status. */

import type { ReconcileResult } from '../../../kube/controller/index.ts'
import { isNamespaceEnding, isNotFound } from '../../../kube/index.ts'
import { type DaemonSet, type Node, type Pod, resources } from '../../../kube/kinds/index.ts'
import { smallest } from '../../../runtime/index.ts'
import { isEmptySelector } from '../../kinds/selector.ts'
import { claimWrites, decideClaims } from '../claims/controller-refs.ts'
import { event } from '../decisions/decision.ts'
import { RevisionHistory } from '../history/revision-history.ts'
import { revisionHashLabel } from '../history/revisions.ts'
import { type Controller, type ControllerContext, debounced, enqueueAll } from '../loop/controller.ts'
import { Expectations } from '../loop/expectations.ts'
import { indexNames } from '../loop/informers.ts'
import { asError, perform } from '../loop/perform.ts'
import { routeToOwners } from '../loop/routes.ts'
import { writeStatus } from '../loop/status.ts'
import { PodControl } from '../pods/control.ts'
import { slowStartBatches } from '../pods/slow-start.ts'
import { nextAvailability } from '../pods/state.ts'
import { burstReplicas, statusChanged } from '../replicaset/decide.ts'
import { BackOff } from './backoff.ts'
import { type DaemonChange, type DaemonWorld, manage } from './manage.ts'
import { roll } from './roll.ts'
import { daemonSetStatus } from './status.ts'
import { daemonPod } from './template.ts'

export function daemonSetController(context: ControllerContext): Controller {
  const { client, informers, runtime, record } = context
  const sets = informers.of<DaemonSet>(resources.daemonSets)
  const pods = informers.of<Pod>(resources.pods)
  const nodes = informers.of<Node>(resources.nodes)
  informers.of(resources.controllerRevisions)
  const history = new RevisionHistory(context, resources.daemonSets)
  const expectations = new Expectations(runtime.clock)
  const podControl = new PodControl(client, record)
  const failures = new BackOff(runtime.clock)

  async function ownPods(set: DaemonSet): Promise<readonly Pod[]> {
    const candidates = [
      ...pods.by(indexNames.controller, set.metadata.uid ?? ''),
      ...pods.by(indexNames.orphans, set.metadata.namespace ?? ''),
    ]
    const claims = decideClaims(set, set.spec.selector, candidates)
    const writes = claimWrites(set, resources.daemonSets, resources.pods, claims)
    await perform(client, record, { writes, why: 'adopt and release' })
    return [...claims.kept, ...claims.adopted]
  }

  async function carryOut(key: string, world: DaemonWorld, change: DaemonChange): Promise<void> {
    const { set, hash } = world
    const create = change.create.slice(0, burstReplicas)
    const remove = change.remove.slice(0, burstReplicas)
    for (const write of change.events) record(write)
    for (const node of change.failed) failures.next(failureKey(set, node))
    if (create.length + remove.length === 0) return
    expectations.expect(
      key,
      create.length,
      remove.map(({ metadata }) => metadata.uid ?? ''),
    )
    const { done, failure } = await slowStartBatches(create.length, async (index) => {
      try {
        await podControl.create(daemonPod(set, hash, create[index] ?? ''), set)
      } catch (error) {
        if (!isNamespaceEnding(error)) throw error
      }
    })
    for (let missing = create.length - done; missing > 0; missing--) expectations.created(key)
    const results = await Promise.allSettled(
      remove.map(async (pod) => {
        try {
          await podControl.delete(pod, set)
        } catch (error) {
          expectations.deleted(key, pod.metadata.uid ?? '')
          if (!isNotFound(error)) throw error
        }
      }),
    )
    const refused = failure ?? results.find((result) => result.status === 'rejected')?.reason
    if (refused !== undefined) throw asError(refused)
  }

  const failureKey = ({ metadata, status }: DaemonSet, node: string) =>
    `${metadata.uid}/${status?.observedGeneration ?? 0}/${node}`

  async function act(key: string, world: DaemonWorld): Promise<number | undefined> {
    const managed = manage(world, runtime.clock.now())
    await carryOut(key, world, managed)
    // The rolling update waits until the writes above are visible in the cache.
    if (expectations.satisfied(key)) await carryOut(key, world, roll(world, runtime.clock.now()))
    return managed.requeueAfterMs
  }

  return {
    name: 'daemonset-controller',
    watch(enqueue) {
      enqueueAll(sets, enqueue)
      routeToOwners({
        dependents: pods,
        ownerKind: 'DaemonSet',
        owners: sets,
        enqueue: debounced(enqueue),
        created: (key) => expectations.created(key),
        deleted: (key, pod) => expectations.deleted(key, pod.metadata.uid ?? ''),
      })
      nodes.subscribe(() => {
        for (const key of sets.keys()) enqueue(key)
      })
    },
    async sync(key): Promise<ReconcileResult | undefined> {
      const set = sets.get(key)
      if (set === undefined) {
        expectations.forget(key)
        return undefined
      }
      if (isEmptySelector(set.spec.selector)) {
        const message = 'This daemon set is selecting all pods. A non-empty selector is required.'
        record(event(set, 'Warning', 'SelectingAll', message))
        return undefined
      }
      if (set.metadata.deletionTimestamp !== undefined) return undefined
      const revisions = await history.sync(set)
      const hash = revisions.update.metadata.labels?.[revisionHashLabel] ?? ''
      const mine = await ownPods(set)
      const world: DaemonWorld = {
        set,
        nodes: Array.from(nodes.values()).sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)),
        pods: mine,
        hash,
        backOff: (node) => failures.left(failureKey(set, node)),
      }
      const expectationsSatisfied = expectations.satisfied(key)
      let failure: unknown
      let wait: number | undefined
      if (expectationsSatisfied) {
        try {
          wait = await act(key, world)
          const hashes = new Set(mine.map(({ metadata }) => metadata.labels?.[revisionHashLabel]))
          const live = revisions.all.filter(({ metadata }) => hashes.has(metadata.labels?.[revisionHashLabel] ?? ''))
          const names = [revisions.update.metadata.name, ...live.map(({ metadata }) => metadata.name)]
          await history.prune(revisions, names, set.spec.revisionHistoryLimit ?? 10)
        } catch (error) {
          failure = error
        }
      }
      const now = runtime.clock.now()
      const status = daemonSetStatus(world, revisions.collisionCount, expectationsSatisfied, now)
      if (statusChanged(set.status, status)) await writeStatus(client.of(resources.daemonSets), set, status)
      if (failure !== undefined) throw asError(failure)
      const waits = [wait, nextAvailability(mine, set.spec.minReadySeconds ?? 0, now)].filter(
        (one) => one !== undefined,
      )
      return waits.length === 0 ? undefined : { requeueAfterMs: smallest(waits) }
    },
  }
}
