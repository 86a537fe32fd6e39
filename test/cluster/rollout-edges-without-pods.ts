/** Edge cases of Deployments without pods: scaling up while held creates pods of the last running version. */
import { expect } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import { hiddenLabel, optInLabel, releaseLabel } from '../../src/rollouts/labels.ts'
import {
  approvalHook,
  approve,
  approveAll,
  type Edge,
  expectReleased,
  idOf,
  untilApprovalRequested,
  watchPods,
} from './rollout-edge.ts'
import { type Found, hasEnded, type Stage } from './rollout-stage.ts'
import { deployment } from './workloads.ts'

const isHidden = ({ metadata }: Found) => metadata.labels?.[hiddenLabel] !== undefined
const versionIn = ({ spec }: Found) => /example\/app:(\d+)/.exec(JSON.stringify(spec))?.[1] ?? ''
const isScaled = (replicas: number) => (found: Found) => (found.status['availableReplicas'] ?? 0) === replicas
const zero = { lifecycleHooks: [approvalHook('zero', 0)] }

async function setsOf({ client, namespace }: Stage): Promise<readonly Found[]> {
  return (await client.of<Found>(resources.replicaSets).list({ namespace })).items
}

/** Waits until exactly these versions are hidden from the native controller. */
function untilHidden(stage: Stage, ...versions: readonly number[]): Promise<void> {
  const wanted = versions.join()
  return stage.untilReplicaSets((sets) => sets.filter(isHidden).map(versionIn).toSorted().join() === wanted)
}

/** Scales up and waits for the pods. */
async function scaled(stage: Stage, replicas: number): Promise<Record<string, number>> {
  await stage.scale(replicas)
  await stage.untilWorkload(isScaled(replicas))
  return stage.versions()
}

/** Expects one ReplicaSet per version, all as the native controller creates them. */
async function expectWhole(stage: Stage, ...versions: readonly number[]): Promise<void> {
  await untilHidden(stage)
  const { metadata } = await stage.workload()
  const sets = await setsOf(stage)
  expect(sets.map(versionIn).toSorted()).toEqual(versions.map(String))
  for (const set of sets) {
    const { labels = {}, ownerReferences } = set.metadata
    expect(Object.keys(labels).toSorted()).toEqual(['app', 'pod-template-hash'])
    expect(ownerReferences).toEqual([expect.objectContaining({ uid: metadata.uid, controller: true })])
  }
}

/** A held Deployment with 0 replicas during the rollout to version 2. */
async function heldEmpty(stage: Stage): Promise<void> {
  await stage.running('Deployment', 0)
  await stage.policy(zero)
  await stage.roll(2)
  await untilApprovalRequested(stage, 'zero')
}

export const withoutPodsEdges: readonly Edge[] = [
  {
    title:
      '[rollouts W7 W1] a Deployment scaled up from zero while its first hook runs gets pods of the previous version',
    async play(stage) {
      await heldEmpty(stage)
      expect(await scaled(stage, 3)).toEqual({ v1: 3 })
      await approve(stage, 'zero')
      const { status } = await stage.untilPolicy(hasEnded('Complete'))
      expect(status?.rollout?.hooks).toMatchObject([{ name: 'zero', state: 'Succeeded', attempts: 1 }])
      expect(await stage.versions()).toEqual({ v2: 3 })
      await expectWhole(stage, 1, 2)
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W7 W1] a Deployment scaled to zero and back while its first hook runs keeps the previous version',
    async play(stage) {
      await stage.running('Deployment', 3)
      await stage.policy(zero)
      await stage.roll(2)
      const first = await untilApprovalRequested(stage, 'zero')
      // This version never ran either.
      await stage.roll(3)
      await untilApprovalRequested(stage, 'zero', first.rollout?.id)
      await stage.untilReplicaSets((sets) => sets.length === 3 && !sets.some(isHidden))
      await stage.scale(0)
      await untilHidden(stage, 2, 3)
      await stage.untilWorkload(isScaled(0))
      expect(await scaled(stage, 3)).toEqual({ v1: 3 })
      await approve(stage, 'zero')
      const { status } = await stage.untilPolicy(hasEnded('Complete'))
      expect(status?.rollout?.hooks).toMatchObject([{ name: 'zero', state: 'Succeeded', attempts: 1 }])
      expect(await stage.versions()).toEqual({ v3: 3 })
      await expectWhole(stage, 1, 2, 3)
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W8 W1] a rollout without any pod completes, and later pods have the new version',
    async play(stage) {
      await heldEmpty(stage)
      await approve(stage, 'zero')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await scaled(stage, 2)).toEqual({ v2: 2 })
      await expectWhole(stage, 1, 2)
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W3 W7] of several templates without any pod only the last one ever runs',
    async play(stage) {
      await heldEmpty(stage)
      const before = idOf(await stage.untilPolicy(() => true))
      const seeing = new AbortController()
      const observed = await watchPods(stage, seeing.signal)
      await stage.roll(3)
      const { rollout } = await untilApprovalRequested(stage, 'zero', before)
      expect(rollout?.from).toBe((await setsOf(stage)).find((set) => versionIn(set) === '1')?.metadata.name)
      await untilHidden(stage, 2, 3)
      expect(await scaled(stage, 2)).toEqual({ v1: 2 })
      await approve(stage, 'zero')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v3: 2 })
      await observed.until((pods) => pods.filter((pod) => versionIn(pod) === '3').length >= 2)
      expect(new Set([...observed.pods.values()].map(versionIn))).toEqual(new Set(['1', '3']))
      seeing.abort()
      await expectWhole(stage, 1, 2, 3)
    },
  },
  {
    title: '[rollouts W5] a return to the old template without any pod is not a rollout',
    async play(stage) {
      await heldEmpty(stage)
      await stage.roll(1)
      await expectReleased(stage)
      const { status } = await stage.untilPolicy((policy) => policy.status?.rollout === undefined)
      expect(status?.history).toMatchObject([{ phase: 'Cancelled', hooks: [{ name: 'zero', attempts: 1 }] }])
      await expectWhole(stage, 1, 2)
      expect(await scaled(stage, 2)).toEqual({ v1: 2 })
    },
  },
  {
    title: '[rollouts W7 W1] a Deployment scaled up from zero during an undo gets pods of the version before the undo',
    async play(stage) {
      await stage.running('Deployment', 0)
      await stage.policy(zero)
      await stage.roll(2)
      const there = await approveAll(stage)
      await stage.roll(1)
      await untilApprovalRequested(stage, 'zero', idOf(there.policy))
      expect(await scaled(stage, 2)).toEqual({ v2: 2 })
      await approve(stage, 'zero')
      const back = await stage.untilPolicy(hasEnded('Complete', 'ROLLBACK'))
      expect(await stage.versions()).toEqual({ v1: 2 })
      // The last running version is not the newest.
      await stage.scale(0)
      await stage.untilWorkload(isScaled(0))
      await stage.roll(3)
      await untilApprovalRequested(stage, 'zero', idOf(back))
      await untilHidden(stage, 2, 3)
      expect(await scaled(stage, 2)).toEqual({ v1: 2 })
      await approve(stage, 'zero')
      await stage.untilPolicy((policy) => idOf(policy) !== idOf(back) && hasEnded('Complete')(policy))
      expect(await stage.versions()).toEqual({ v3: 2 })
      await expectWhole(stage, 1, 2, 3)
    },
  },
  {
    title: '[rollouts W16] a policy deleted without any pod restores its workload',
    async play(stage) {
      await heldEmpty(stage)
      await untilHidden(stage, 2)
      await stage.removePolicy()
      await stage.untilWorkload(({ metadata }) => metadata.labels?.[optInLabel] === undefined)
      expect(await scaled(stage, 2)).toEqual({ v2: 2 })
      await expectWhole(stage, 1, 2)
    },
  },
  {
    title: '[rollouts W16] the release label without any pod starts the new version and restores the workload',
    async play(stage) {
      await heldEmpty(stage)
      const before = idOf(await stage.untilPolicy(() => true))
      await stage.roll(3)
      await untilApprovalRequested(stage, 'zero', before)
      await untilHidden(stage, 2, 3)
      await stage.label(releaseLabel, 'true')
      await stage.untilPolicy(hasEnded('Cancelled'))
      expect(await scaled(stage, 2)).toEqual({ v3: 2 })
      await expectWhole(stage, 1, 2, 3)
    },
  },
  {
    title: '[rollouts W1] no pod of a new Deployment is created before its first hook has ended',
    async play(stage) {
      await stage.create({ ...zero, rolloutTypes: ['CREATE'] })
      const labels = { [optInLabel]: 'web' }
      const { metadata, spec } = deployment('web', 2)
      const where = { namespace: stage.namespace, labels }
      const made = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...metadata, ...where }, spec }
      await stage.client.of(resources.deployments).create(made)
      await untilApprovalRequested(stage, 'zero')
      await stage.scale(3)
      await stage.untilWorkload(({ metadata: seen, status }) => status['observedGeneration'] === seen.generation)
      expect(await stage.versions()).toEqual({})
      await approve(stage, 'zero')
      await stage.untilPolicy(hasEnded('Complete', 'CREATE'))
      expect(await stage.versions()).toEqual({ v1: 3 })
      await expectWhole(stage, 1)
      await expectReleased(stage)
    },
  },
]
