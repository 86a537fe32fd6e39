/** Edge cases of workloads that are deleted and re-created during a rollout, like `kubectl replace --force`. */
import { expect } from 'vitest'
import type { KubeObject } from '../../src/kube/object.ts'
import type { TargetKind } from '../../src/rollouts/policy/types.ts'
import { type Edge, expectReleased, jobHook } from './rollout-edge.ts'
import { hasEnded, isAtRest, isReady, isStarted, type Stage, workloadTypes } from './rollout-stage.ts'

const rolloutTypes = ['CREATE', 'ROLLOUT', 'ROLLBACK'] as const
const optedIn = { 'carabiner.dev/rollout-policy': 'web' }
const long = { 'run-for': '1h' }
const failing = { 'run-for': '0s', 'exit-code': '1' }

/** Keeps the template and drops the fields set by the gate. */
async function recreate(stage: Stage, kind: TargetKind, labels: Readonly<Record<string, string>> = {}): Promise<void> {
  const { namespace } = stage
  const { apiVersion, kind: _, ...found } = await stage.workload()
  const made = ['paused', 'updateStrategy', 'strategy', 'minReadySeconds', 'progressDeadlineSeconds']
  const spec = Object.fromEntries(Object.entries(found.spec).filter(([field]) => !made.includes(field)))
  const workloads = stage.client.of(workloadTypes[kind])
  await workloads.delete('web', { namespace, propagationPolicy: 'Background' })
  await stage.untilGone(workloadTypes[kind])
  await stage.untilPods(({ length }) => length === 0)
  const object = { apiVersion, kind, metadata: { name: 'web', namespace, labels }, spec }
  await workloads.create(object as unknown as KubeObject)
}

/** Waits until all pods have this version, regardless of the number of nodes. */
async function untilAllAre(stage: Stage, version: string): Promise<void> {
  await stage.untilPods((pods) => pods.length > 1 && pods.every(isReady))
  expect(Object.keys(await stage.versions())).toEqual([version])
}

async function rollsOn(stage: Stage): Promise<void> {
  await stage.changePolicy({ lifecycleHooks: [jobHook('migrate', 0)] })
  await stage.roll(3)
  await stage.untilPolicy(hasEnded('Complete'))
  await untilAllAre(stage, 'v3')
}

const ofKind = (kind: TargetKind): readonly Edge[] => [
  {
    title: `a re-created ${kind} is not part of the previous rollout, also with the same template`,
    async play(stage) {
      await stage.running(kind, 2)
      await stage.policy({ lifecycleHooks: [jobHook('migrate', 0, long)] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('migrate'))
      await recreate(stage, kind)
      const { status } = await stage.untilPolicy(hasEnded('Cancelled'))
      expect(status?.rollout?.message).toBe(`${kind} web was deleted and created again`)
      await stage.untilWorkload(({ metadata }) => metadata.labels?.['carabiner.dev/rollout-policy'] === 'web')
      await expectReleased(stage)
      await untilAllAre(stage, 'v2')
      await rollsOn(stage)
    },
  },
  {
    title: `a re-created ${kind} is not held because of an earlier abort`,
    async play(stage) {
      await stage.running(kind, 2)
      await stage.policy({ lifecycleHooks: [jobHook('migrate', 0, failing)] })
      await stage.roll(2)
      await stage.untilPolicy(hasEnded('Aborted'))
      await recreate(stage, kind)
      const { status } = await stage.untilPolicy(isAtRest)
      expect([status?.rollout, status?.history?.map(({ phase }) => phase)]).toEqual([undefined, ['Aborted']])
      await untilAllAre(stage, 'v2')
      await rollsOn(stage)
    },
  },
]

export const recreatedEdges: readonly Edge[] = [
  ...(['Deployment', 'StatefulSet', 'DaemonSet'] as const).flatMap(ofKind),
  {
    title: 'a re-created Deployment with a template that was aborted before runs its hooks',
    async play(stage) {
      await stage.running('Deployment', 2)
      await stage.policy({ rolloutTypes, lifecycleHooks: [jobHook('migrate', 0, failing)] })
      await stage.roll(2)
      await stage.untilPolicy(hasEnded('Aborted'))
      await stage.changePolicy({ rolloutTypes, lifecycleHooks: [jobHook('migrate', 0)] })
      await recreate(stage, 'Deployment', optedIn)
      const { status } = await stage.untilPolicy(hasEnded('Complete', 'CREATE'))
      expect(status?.rollout?.hooks).toMatchObject([{ name: 'migrate', state: 'Succeeded', attempts: 1 }])
      expect(await stage.versions()).toEqual({ v2: 2 })
    },
  },
  {
    title: 'a Deployment that is re-created during a rollout starts from the beginning',
    async play(stage) {
      await stage.running('Deployment', 2)
      await stage.policy({ rolloutTypes, lifecycleHooks: [jobHook('migrate', '50%', long)] })
      await stage.roll(2)
      const { status: before } = await stage.untilPolicy(isStarted('migrate'))
      expect(before?.rollout?.moved).toBe(true)
      await stage.changePolicy({ rolloutTypes, lifecycleHooks: [jobHook('migrate', 0, { 'run-for': '10s' })] })
      await recreate(stage, 'Deployment', optedIn)
      const { status } = await stage.untilPolicy((policy) => policy.status?.rollout?.type === 'CREATE')
      expect(status?.rollout).not.toHaveProperty('moved')
      expect(status?.history).toMatchObject([
        { phase: 'Cancelled', type: 'ROLLOUT', message: 'Deployment web was deleted and created again' },
      ])
      await stage.untilPolicy(hasEnded('Complete', 'CREATE'))
      expect(await stage.versions()).toEqual({ v2: 2 })
    },
  },
]
