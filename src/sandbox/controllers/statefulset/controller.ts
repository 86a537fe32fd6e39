/** The reconcile loop of the StatefulSet controller: revisions, pods with their claims, status, history. */

import type { ReconcileResult } from '../../../kube/controller/index.ts'
import { isAlreadyExists, isNotFound } from '../../../kube/index.ts'
import { type PersistentVolumeClaim, type Pod, resources, type StatefulSet } from '../../../kube/kinds/index.ts'
import { claimWrites, decideClaims } from '../claims/controller-refs.ts'
import { event } from '../decisions/decision.ts'
import { RevisionHistory, type Revisions } from '../history/revision-history.ts'
import { templateOf } from '../history/revisions.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { asError, perform } from '../loop/perform.ts'
import { routeToOwners } from '../loop/routes.ts'
import { writeStatus } from '../loop/status.ts'
import { apiErrorMessage } from '../pods/control.ts'
import { nextAvailability } from '../pods/state.ts'
import { statusChanged } from '../replicaset/decide.ts'
import { decideStatefulSet, type PodStep, type StatefulSetWorld } from './decide.ts'
import { claimsFor, identityLabels, isMember, ordinalOf, revisionOf } from './identity.ts'
import { claimOwners } from './volume-claims.ts'

export function statefulSetController(context: ControllerContext): Controller {
  const { client, informers, runtime, record } = context
  const sets = informers.of<StatefulSet>(resources.statefulSets)
  const pods = informers.of<Pod>(resources.pods)
  const claims = informers.of<PersistentVolumeClaim>(resources.persistentVolumeClaims)
  informers.of(resources.controllerRevisions)
  const history = new RevisionHistory(context, resources.statefulSets)
  const podHandle = client.of(resources.pods)
  const claimHandle = client.of<PersistentVolumeClaim>(resources.persistentVolumeClaims)

  async function ownPods(set: StatefulSet): Promise<readonly Pod[]> {
    const candidates = [
      ...pods.by(indexNames.controller, set.metadata.uid ?? ''),
      ...pods.by(indexNames.orphans, set.metadata.namespace ?? ''),
    ]
    const decided = decideClaims(set, set.spec.selector, candidates, (pod) => isMember(set, pod))
    const writes = claimWrites(set, resources.statefulSets, resources.pods, decided)
    await perform(client, record, { writes, why: 'adopt and release' })
    return [...decided.kept, ...decided.adopted]
  }

  function worldOf(set: StatefulSet, mine: readonly Pod[], revisions: Revisions): StatefulSetWorld {
    const { update, all, collisionCount } = revisions
    const current = all.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update
    const named = (revision: typeof update) => ({
      name: revision.metadata.name,
      template: templateOf(revision) ?? set.spec.template,
    })
    return { set, pods: mine, current: named(current), update: named(update), collisionCount }
  }

  function recordStep(set: StatefulSet, verb: 'Create' | 'Delete' | 'Update', what: string, error?: unknown): void {
    const { name } = set.metadata
    if (error === undefined) {
      record(event(set, 'Normal', `Successful${verb}`, `${verb} ${what} in StatefulSet ${name} successful`))
    } else {
      const message = `${verb} ${what} in StatefulSet ${name} failed error: ${apiErrorMessage(error)}`
      record(event(set, 'Warning', `Failed${verb}`, message))
    }
  }

  async function ensureClaims(set: StatefulSet, pod: Pod, ordinal: number): Promise<void> {
    const owned = set.spec.persistentVolumeClaimRetentionPolicy !== undefined
    for (const wanted of claimsFor(set, ordinal)) {
      const { name, namespace = '' } = wanted.metadata
      if (claims.get(`${namespace}/${name}`) !== undefined) continue
      const ownerReferences = owned ? claimOwners(set, undefined, wanted, false) : undefined
      const metadata = { ...wanted.metadata, ...(ownerReferences ? { ownerReferences: [...ownerReferences] } : {}) }
      try {
        await claimHandle.create({ ...wanted, metadata })
        record(
          event(
            set,
            'Normal',
            'SuccessfulCreate',
            `Create Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} success`,
          ),
        )
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
      }
    }
  }

  async function releaseClaims(set: StatefulSet, pod: Pod): Promise<void> {
    for (const { metadata } of claimsFor(set, ordinalOf(pod))) {
      const claim = claims.get(`${metadata.namespace}/${metadata.name}`)
      const ownerReferences = claim && claimOwners(set, pod, claim, true)
      if (ownerReferences === undefined) continue
      const value = { metadata: { ownerReferences } }
      await claimHandle.patch(metadata.name, { type: 'merge', value }, { namespace: metadata.namespace ?? '' })
    }
  }

  async function take(set: StatefulSet, step: PodStep): Promise<void> {
    const { pod } = step
    const { name, namespace = '', uid = '' } = pod.metadata
    switch (step.do) {
      case 'create':
        try {
          await ensureClaims(set, pod, step.ordinal)
          await podHandle.create(pod)
        } catch (error) {
          // The pod exists, but is not in the cache yet.
          if (isAlreadyExists(error)) return
          recordStep(set, 'Create', `Pod ${name}`, error)
          throw error
        }
        recordStep(set, 'Create', `Pod ${name}`)
        return
      case 'delete':
        if (step.scaledDown) await releaseClaims(set, pod)
        try {
          await podHandle.delete(name, { namespace, preconditions: { uid } })
        } catch (error) {
          if (isNotFound(error)) return
          recordStep(set, 'Delete', `Pod ${name}`, error)
          throw error
        }
        recordStep(set, 'Delete', `Pod ${name}`)
        return
      case 'fixIdentity': {
        const value = { metadata: { uid, labels: identityLabels(name, ordinalOf(pod)) } }
        await podHandle.patch(name, { type: 'merge', value }, { namespace })
        recordStep(set, 'Update', `Pod ${name}`)
      }
    }
  }

  return {
    name: 'statefulset-controller',
    watch(enqueue) {
      enqueueAll(sets, enqueue)
      routeToOwners({ dependents: pods, ownerKind: 'StatefulSet', owners: sets, enqueue })
    },
    async sync(key): Promise<ReconcileResult | undefined> {
      const set = sets.get(key)
      if (set === undefined) return undefined
      const mine = await ownPods(set)
      const revisions = await history.sync(set)
      const world = worldOf(set, mine, revisions)
      const now = runtime.clock.now()
      const { steps, status } = decideStatefulSet(world, now)
      let failure: unknown
      for (const step of steps) {
        try {
          await take(set, step)
        } catch (error) {
          failure = error
          break
        }
      }
      if (statusChanged(set.status, status)) await writeStatus(client.of(resources.statefulSets), set, status)
      if (failure !== undefined) throw asError(failure)
      const live = [world.current.name, world.update.name, ...mine.map(revisionOf)]
      await history.prune(revisions, live, set.spec.revisionHistoryLimit ?? 10)
      const wait = nextAvailability(mine, set.spec.minReadySeconds ?? 0, now)
      return wait === undefined ? undefined : { requeueAfterMs: wait }
    },
  }
}
