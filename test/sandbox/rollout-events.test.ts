/** Events of rollouts, in virtual time. */
import { expect, it } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

/** All events of the engine as reason and kind; they are written within seconds. */
async function said(stage: Stage): Promise<readonly string[]> {
  await stage.runtime.clock.sleep(5_000)
  const { items } = await stage.client.of(resources.events).list({ namespace: stage.namespace })
  return items
    .filter(({ reportingController }) => reportingController === 'carabiner.dev/rollouts')
    .toSorted((a, b) => a.eventTime.localeCompare(b.eventTime) || a.regarding.kind.localeCompare(b.regarding.kind))
    .map(({ reason, regarding }) => `${reason} ${regarding.kind}`)
}

it('a successful rollout records events on its workload only', () =>
  play(290, async (stage) => {
    await stage.running('Deployment', 1)
    await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job({ 'run-for': '2s' }) }] })
    await stage.roll(2)
    await stage.untilPolicy(isOver)
    expect(await said(stage)).toEqual([
      'RolloutStarted Deployment',
      'HookSucceeded Deployment',
      'RolloutComplete Deployment',
    ])
  }))

it('[rollouts C6] a failed rollout also records events on its policy', () =>
  play(291, async (stage) => {
    await stage.running('Deployment', 1)
    const broken = job({ 'run-for': '2s', 'exit-code': '1' })
    await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: broken }] })
    await stage.roll(2)
    await stage.untilPolicy(isOver)
    const events = await said(stage)
    expect(events.slice(0, 1)).toEqual(['RolloutStarted Deployment'])
    expect(events.slice(1).toSorted()).toEqual([
      'HookFailed Deployment',
      'HookFailed RolloutPolicy',
      'RolloutAborted Deployment',
      'RolloutAborted RolloutPolicy',
    ])
  }))
