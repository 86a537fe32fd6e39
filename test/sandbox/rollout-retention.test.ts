/** The retention of hook Jobs, in virtual time. */
import { describe, expect, it } from 'vitest'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import { approvalHook, approve, jobHook, retentionHooks, untilApprovalRequested } from '../cluster/rollout-edge.ts'
import { isOver, play, type Stage } from './rollouts.ts'

const hooksWithJobs = async (stage: Stage) =>
  (await stage.jobs()).map(({ metadata }) => metadata.labels?.['carabiner.dev/hook']).toSorted()

/** A rollout that waits for an approval, after two hooks have succeeded. */
async function halfWay(stage: Stage): Promise<void> {
  await stage.running('Deployment', 2)
  await stage.policy({
    lifecycleHooks: [
      jobHook('migrate', 0),
      jobHook('quick', 0, {}, { retainPolicy: 'Never' }),
      approvalHook('half', '50%'),
    ],
  })
  await stage.roll(2)
  await untilApprovalRequested(stage, 'half')
}

describe('Jobs of hooks', () => {
  it('[rollouts H3] are kept or deleted by the retain policy', () =>
    play(27, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: retentionHooks() })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      await stage.untilJobs((jobs) => jobs.length === 2)
      expect(await hooksWithJobs(stage)).toEqual(['always', 'on-failure'])
    }))

  it('[rollouts H3] are deleted immediately when never kept, the others after the rollout', () =>
    play(271, async (stage) => {
      await halfWay(stage)
      await stage.runtime.clock.sleep(1_000)
      expect(await hooksWithJobs(stage)).toEqual(['migrate'])
      await stage.runtime.clock.sleep(60_000)
      await approve(stage, 'half')
      await stage.untilPolicy(isOver)
      expect(await hooksWithJobs(stage)).toEqual(['migrate'])
      await stage.runtime.clock.sleep(3_000)
      expect(await hooksWithJobs(stage)).toEqual([])
    }))

  it('are deleted when their rollout is overtaken', () =>
    play(272, async (stage) => {
      await halfWay(stage)
      const [old] = await stage.jobs()
      await stage.roll(3)
      await stage.untilJobs(
        (jobs) => jobs.length > 0 && jobs.every(({ metadata }) => metadata.uid !== old?.metadata.uid),
      )
      expect((await stage.untilPolicy(() => true)).status?.rollout?.endedAt).toBeUndefined()
    }))

  it('are deleted when their hook is removed from the policy while they run', () =>
    play(274, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [jobHook('migrate', 0, { 'run-for': '1h' })] })
      await stage.roll(2)
      await stage.untilJobs((jobs) => jobs.length === 1)
      await stage.changePolicy({ lifecycleHooks: [] })
      await stage.untilPolicy(isOver)
      await stage.runtime.clock.sleep(10_000)
      expect(await stage.jobs()).toEqual([])
    }))

  it('are deleted before their policy', () =>
    play(273, async (stage) => {
      await halfWay(stage)
      await stage.removePolicy()
      await stage.untilGone(policyType)
      expect(await stage.jobs()).toEqual([])
    }))

  it('are deleted by the next engine when the previous one stopped before', () =>
    play(274, async (stage) => {
      await halfWay(stage)
      await stage.restart()
      await approve(stage, 'half')
      await stage.untilPolicy(isOver)
      await stage.restart()
      await stage.untilJobs((jobs) => jobs.length === 0)
    }))
})
