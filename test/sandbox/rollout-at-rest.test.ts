/** The gate without admission: workloads are held between rollouts. */
import { describe, expect, it } from 'vitest'
import { gateFinding } from '../../src/cli/doctor/gate.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

const use = { use: 'at-rest' } as const
const hold = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) =>
  metadata.labels?.['carabiner.dev/hold']
const isHeld = (workload: Parameters<typeof hold>[0]) => hold(workload) === 'gate'
const partitionOf = ({ spec }: { spec: Record<string, unknown> }) =>
  (spec['updateStrategy'] as { rollingUpdate: { partition: number } }).rollingUpdate.partition

describe('a gate at rest', () => {
  it('is reported in the status of the policy', () =>
    play(
      1,
      async (stage) => {
        await stage.running('Deployment', 2)
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        expect((await stage.untilPolicy(() => true)).status?.gate).toBe('at-rest')
      },
      use,
    ))

  it('holds a Deployment before the first pod and at half of the pods, and again after the rollout', () =>
    play(
      2,
      async (stage) => {
        await stage.running('Deployment', 4)
        await stage.policy({
          lifecycleHooks: [
            { name: 'migrate', trigger: at(0), jobSpec: job() },
            { name: 'smoke', trigger: at('50%'), jobSpec: job() },
          ],
        })
        expect((await stage.untilWorkload(isHeld)).spec['paused']).toBe(true)
        await stage.roll(2)
        await hookRuns(stage, 0)
        expect(await stage.versions()).toEqual({ v1: 4 })
        await hookRuns(stage, 1)
        expect((await stage.versions())['v2']).toBe(2)
        expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
        expect((await stage.untilWorkload(isHeld)).spec).toMatchObject({
          paused: true,
          strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        })
        expect(await stage.versions()).toEqual({ v2: 4 })
        await stage.untilWorkload(({ metadata, status }) => status['observedGeneration'] === metadata.generation)
        await stage.scale(6)
        await stage.untilWorkload(({ status }) => status['availableReplicas'] === 6)
        expect(await stage.versions()).toEqual({ v2: 6 })
        await stage.roll(3)
        await hookRuns(stage, 0)
        expect(await stage.versions()).toEqual({ v2: 6 })
      },
      use,
    ))

  it('restores the partition of a StatefulSet', () =>
    play(
      3,
      async (stage) => {
        const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }
        await stage.running('StatefulSet', 3, { updateStrategy })
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        expect(partitionOf(await stage.untilWorkload(isHeld))).toBe(2_147_483_647)
        await stage.roll(2)
        await hookRuns(stage, 0)
        expect(await stage.versions()).toEqual({ v1: 3 })
        expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
        expect(await stage.versions()).toEqual({ v1: 1, v2: 2 })
        await stage.removePolicy()
        expect(partitionOf(await stage.untilWorkload((found) => hold(found) === undefined))).toBe(1)
      },
      use,
    ))

  it('holds a DaemonSet and releases it when the policy is deleted', () =>
    play(
      4,
      async (stage) => {
        await stage.running('DaemonSet', 3)
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        await stage.untilWorkload(isHeld)
        await stage.roll(2)
        await hookRuns(stage, 0)
        expect(await stage.versions()).toEqual({ v1: 3 })
        await stage.untilPolicy(isOver)
        expect(await stage.versions()).toEqual({ v2: 3 })
        await stage.untilWorkload(isHeld)
        await stage.removePolicy()
        const { spec } = await stage.untilWorkload((found) => hold(found) === undefined)
        expect(spec['updateStrategy']).toMatchObject({ type: 'RollingUpdate' })
      },
      use,
    ))

  it('is reported by the doctor, although no webhook is installed', () =>
    play(
      6,
      async (stage) => {
        await stage.running('Deployment', 1)
        expect(await gateFinding(stage.client, 'default')).toMatchObject({ state: 'missing' })
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        await stage.untilWorkload(isHeld)
        const detail = expect.stringMatching(/^at rest: the operator/)
        expect(await gateFinding(stage.client, 'default')).toMatchObject({ state: 'works', detail })
      },
      use,
    ))

  it('releases a workload with the release label', () =>
    play(
      5,
      async (stage) => {
        await stage.running('Deployment', 2)
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        await stage.untilWorkload(isHeld)
        await stage.label('carabiner.dev/release', 'true')
        await stage.untilWorkload((found) => hold(found) === undefined && found.spec['paused'] !== true)
        await stage.roll(2)
        await stage.untilWorkload(({ status }) => status['updatedReplicas'] === 2 && status['availableReplicas'] === 2)
        expect(await stage.jobs()).toEqual([])
      },
      use,
    ))
})

async function hookRuns(stage: Stage, index: number): Promise<void> {
  await stage.untilPolicy(
    ({ status }) => status?.rollout?.endedAt === undefined && status?.rollout?.hooks[index]?.state === 'Running',
  )
}
