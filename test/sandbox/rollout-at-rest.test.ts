/** The gate that needs no admission: workloads rest with their gate shut. */
import { describe, expect, it } from 'vitest'
import { gateFinding } from '../../src/cli/doctor/gate.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

const use = { use: 'at-rest' } as const
const hold = ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) =>
  metadata.labels?.['carabiner.dev/hold']
const isShut = (workload: Parameters<typeof hold>[0]) => hold(workload) === 'gate'
const partitionOf = ({ spec }: { spec: Record<string, unknown> }) =>
  (spec['updateStrategy'] as { rollingUpdate: { partition: number } }).rollingUpdate.partition

describe('a gate at rest', () => {
  it('is told in the status of the policy', () =>
    play(
      1,
      async (stage) => {
        await stage.running('Deployment', 2)
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        expect((await stage.untilPolicy(() => true)).status?.gate).toBe('at-rest')
      },
      use,
    ))

  it('holds a Deployment before any pod, at half of them, and is shut again in the end', () =>
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
        expect((await stage.untilWorkload(isShut)).spec['paused']).toBe(true)
        await stage.roll(2)
        await hookRuns(stage, 0)
        expect(await stage.versions()).toEqual({ v1: 4 })
        await hookRuns(stage, 1)
        expect((await stage.versions())['v2']).toBe(2)
        expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
        expect((await stage.untilWorkload(isShut)).spec).toMatchObject({
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

  it('remembers the partition of a StatefulSet', () =>
    play(
      3,
      async (stage) => {
        const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }
        await stage.running('StatefulSet', 3, { updateStrategy })
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        expect(partitionOf(await stage.untilWorkload(isShut))).toBe(2_147_483_647)
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

  it('holds a DaemonSet and gives it back with the policy', () =>
    play(
      4,
      async (stage) => {
        await stage.running('DaemonSet', 3)
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        await stage.untilWorkload(isShut)
        await stage.roll(2)
        await hookRuns(stage, 0)
        expect(await stage.versions()).toEqual({ v1: 3 })
        await stage.untilPolicy(isOver)
        expect(await stage.versions()).toEqual({ v2: 3 })
        await stage.untilWorkload(isShut)
        await stage.removePolicy()
        const { spec } = await stage.untilWorkload((found) => hold(found) === undefined)
        expect(spec['updateStrategy']).toMatchObject({ type: 'RollingUpdate' })
      },
      use,
    ))

  it('is known to the doctor, although nothing is installed', () =>
    play(
      6,
      async (stage) => {
        await stage.running('Deployment', 1)
        expect(await gateFinding(stage.client, 'default')).toMatchObject({ state: 'missing' })
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        await stage.untilWorkload(isShut)
        const detail = expect.stringMatching(/^at rest: the operator/)
        expect(await gateFinding(stage.client, 'default')).toMatchObject({ state: 'works', detail })
      },
      use,
    ))

  it('opens for whoever breaks the glass, and leaves a suspended policy alone', () =>
    play(
      5,
      async (stage) => {
        await stage.running('Deployment', 2)
        await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
        await stage.untilWorkload(isShut)
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
