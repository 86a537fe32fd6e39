/** Rollouts with hooks in virtual time. */
import { describe, expect, it } from 'vitest'
import { at, isOver, job, play } from './rollouts.ts'

describe('a Deployment with hooks', () => {
  it('[rollouts B2 B4 B5 I4] waits for the hook before any new pod', () =>
    play(1, async (stage) => {
      await stage.running('Deployment', 3)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.object !== undefined)
      await stage.untilJobs((jobs) => jobs.length === 1)
      expect(await stage.versions()).toEqual({ v1: 3 })
      expect(await stage.replicaSets()).toEqual([3, 0])
      const done = await stage.untilPolicy(isOver)
      expect(done.status?.rollout).toMatchObject({
        phase: 'Complete',
        type: 'ROLLOUT',
        hooks: [{ name: 'migrate', state: 'Succeeded', attempts: 1 }],
      })
      expect(await stage.versions()).toEqual({ v2: 3 })
      const { metadata, spec } = await stage.workload()
      expect([metadata.labels?.['carabiner.dev/hold'], spec['paused'] ?? false]).toEqual([undefined, false])
    }))

  it('[rollouts F1 F5 G1] stops exactly at half of the pods', () =>
    play(2, async (stage) => {
      await stage.running('Deployment', 10)
      await stage.policy({ lifecycleHooks: [{ name: 'smoke', trigger: at('50%'), jobSpec: job() }] })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.state === 'Running')
      expect((await stage.versions())['v2']).toBe(5)
      const done = await stage.untilPolicy(isOver)
      expect(done.status?.rollout?.phase).toBe('Complete')
      expect(await stage.versions()).toEqual({ v2: 10 })
      const { spec } = await stage.workload()
      expect(spec).toMatchObject({
        progressDeadlineSeconds: 600,
        strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      })
    }))

  it('[rollouts C1 G2 G5] stops when a hook with Abort fails', () =>
    play(3, async (stage) => {
      await stage.running('Deployment', 3)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job({ 'exit-code': '1' }) },
          { name: 'later', trigger: at('100%'), jobSpec: job() },
        ],
      })
      await stage.roll(2)
      const failed = await stage.untilPolicy(isOver)
      expect(failed.status?.rollout).toMatchObject({
        phase: 'Aborted',
        hooks: [
          { name: 'migrate', state: 'Failed' },
          { name: 'later', state: 'Pending', attempts: 0 },
        ],
      })
      expect(await stage.versions()).toEqual({ v1: 3 })
      await stage.untilEvent('HookFailed')
      await stage.untilEvent('RolloutAborted')
      const { status } = await stage.workload()
      // With transition times, like every other condition.
      const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      expect(status['conditions']).toContainEqual(
        expect.objectContaining({
          ...{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' },
          ...{ lastUpdateTime: aTime, lastTransitionTime: aTime },
        }),
      )
    }))

  it('[rollouts C4] stays half way after an abort and restores all fields with the next template', () =>
    play(9, async (stage) => {
      await stage.running('Deployment', 4)
      await stage.policy({
        lifecycleHooks: [{ name: 'smoke', trigger: at('50%'), jobSpec: job({ 'exit-code': '1' }) }],
      })
      await stage.roll(2)
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Aborted')
      expect((await stage.versions())['v2']).toBe(2)
      await stage.roll(1)
      const back = await stage.untilPolicy(({ status }) => status?.rollout?.phase === 'Complete')
      expect(back.status?.rollout).toMatchObject({ type: 'UNDO', hooks: [] })
      expect(await stage.versions()).toEqual({ v1: 4 })
      const { spec } = await stage.workload()
      expect(spec).toMatchObject({
        progressDeadlineSeconds: 600,
        strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      })
      expect(spec['minReadySeconds'] ?? 0).toBe(0)
    }))

  it('is not treated as paused by its owner after an abort at the end', () =>
    play(10, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [{ name: 'test', trigger: at('100%'), jobSpec: job({ 'exit-code': '1' }) }],
      })
      await stage.roll(2)
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Aborted')
      await stage.changePolicy({ lifecycleHooks: [{ name: 'test', trigger: at('100%'), jobSpec: job() }] })
      await stage.roll(3)
      await stage.untilPolicy(({ status }) => status?.rollout?.phase === 'Complete')
      expect(await stage.versions()).toEqual({ v3: 2 })
      const { spec, metadata } = await stage.workload()
      expect([metadata.labels?.['carabiner.dev/hold'], spec['paused'] ?? false]).toEqual([undefined, false])
      expect(spec).toMatchObject({ progressDeadlineSeconds: 600, strategy: { rollingUpdate: { maxSurge: '25%' } } })
    }))

  it('[rollouts C3 C7 G3] continues when a hook with Ignore fails', () =>
    play(4, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job({ 'exit-code': '1' }), failurePolicy: 'Ignore' },
        ],
      })
      await stage.roll(2)
      expect((await stage.untilPolicy(isOver)).status?.rollout).toMatchObject({
        phase: 'Complete',
        hooks: [{ state: 'Ignored' }],
      })
      await stage.untilEvent('HookFailed')
      expect(await stage.versions()).toEqual({ v2: 2 })
    }))
})

describe('a policy', () => {
  it('releases its workload when it is deleted during a rollout', () =>
    play(7, async (stage) => {
      await stage.running('Deployment', 4)
      await stage.policy({ lifecycleHooks: [{ name: 'smoke', trigger: at('50%'), jobSpec: job() }] })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.object !== undefined)
      await stage.removePolicy()
      await stage.untilWorkload(
        ({ metadata, status }) =>
          metadata.labels?.['carabiner.dev/hold'] === undefined && status['updatedReplicas'] === 4,
      )
      const { metadata, spec } = await stage.workload()
      expect(metadata.labels?.['carabiner.dev/rollout-policy']).toBeUndefined()
      expect(spec).toMatchObject({
        progressDeadlineSeconds: 600,
        strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      })
      expect(spec['minReadySeconds'] ?? 0).toBe(0)
    }))
})

describe('a StatefulSet with hooks', () => {
  it('stops at its points and finishes', () =>
    play(5, async (stage) => {
      await stage.running('StatefulSet', 4)
      await stage.policy({
        lifecycleHooks: [
          { name: 'first', trigger: at(1), jobSpec: job() },
          { name: 'half', trigger: at('50%'), jobSpec: job() },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.state === 'Running')
      expect(await stage.versions()).toEqual({ v1: 3, v2: 1 })
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[1]?.state === 'Running')
      expect(await stage.versions()).toEqual({ v1: 2, v2: 2 })
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
      expect(await stage.versions()).toEqual({ v2: 4 })
    }))
})

describe('a DaemonSet with hooks', () => {
  it('stops at its points and finishes', () =>
    play(6, async (stage) => {
      await stage.running('DaemonSet', 3)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job() },
          { name: 'first', trigger: at(1), jobSpec: job() },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.state === 'Running')
      expect(await stage.versions()).toEqual({ v1: 3 })
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[1]?.state === 'Running')
      expect(await stage.versions()).toEqual({ v1: 2, v2: 1 })
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
      expect(await stage.versions()).toEqual({ v2: 3 })
    }))
})
