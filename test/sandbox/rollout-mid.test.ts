/** The hook between the last old pod and the first new one, in virtual time. */
import { describe, expect, it } from 'vitest'
import { abortRollout } from '../../src/cli/rollout/abort.ts'
import { undoRollout } from '../../src/cli/rollout/undo.ts'
import { hasEnded, isStarted, job, play, type Stage } from './rollouts.ts'

async function started(stage: Stage, code = '0', more: object = {}): Promise<void> {
  await stage.running('Deployment', 3, { strategy: { type: 'Recreate' } })
  const handler = (exit = '0') => ({ failurePolicy: 'Abort' as const, jobSpec: job({ 'exit-code': exit }) })
  const post = { failurePolicy: 'Ignore' as const, jobSpec: job() }
  await stage.policy({ lifecycle: { pre: handler(), mid: handler(code), post }, ...more })
  await stage.roll(2)
  await stage.untilPolicy(isStarted('pre'))
  expect(await stage.versions()).toEqual({ v1: 3 })
  await stage.untilPolicy(isStarted('mid'))
  expect(await stage.versions()).toEqual({})
}

describe('mid', () => {
  it('runs between the last old and the first new pod', () =>
    play(70, async (stage) => {
      await started(stage)
      const { status } = await stage.untilPolicy(hasEnded('Complete'))
      expect(status?.rollout?.hooks.map(({ name, state, attempts }) => [name, state, attempts])).toEqual([
        ['pre', 'Succeeded', 1],
        ['mid', 'Succeeded', 1],
        ['post', 'Succeeded', 1],
      ])
      expect(await stage.versions()).toEqual({ v2: 3 })
      const { metadata, spec } = await stage.workload()
      expect(spec).toMatchObject({ replicas: 3, strategy: { type: 'Recreate' } })
      expect([metadata.labels?.['carabiner.dev/hold'], spec['paused'] ?? false]).toEqual([undefined, false])
    }))

  it('applies replicas that are changed meanwhile afterwards', () =>
    play(71, async (stage) => {
      await started(stage)
      await stage.scale(5)
      await stage.untilWorkload(({ spec }) => spec['replicas'] === 0)
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: 5 })
    }))

  it('keeps the pods at zero when the workload is written', () =>
    play(72, async (stage) => {
      await started(stage)
      await stage.change({ spec: { replicas: 4, paused: false } })
      const { spec } = await stage.workload()
      expect([spec['replicas'], spec['paused']]).toEqual([0, true])
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: 4 })
      expect(Object.keys((await stage.workload()).metadata.labels ?? {})).toEqual(['carabiner.dev/rollout-policy'])
    }))

  it('restores the old pods with onAbort Undo when it fails', () =>
    play(73, async (stage) => {
      await started(stage, '1', { onAbort: 'Undo' })
      await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(await stage.versions()).toEqual({ v1: 3 })
      expect((await stage.workload()).spec).toMatchObject({ replicas: 3, strategy: { type: 'Recreate' } })
    }))

  it('leaves no pod with onAbort Hold until the rollout is undone', () =>
    play(76, async (stage) => {
      const place = { client: stage.client, namespace: 'default' }
      await started(stage, '0')
      expect(await abortRollout(place, 'web')).toMatchObject({ isEmpty: true })
      await stage.untilPolicy(hasEnded('Aborted'))
      await stage.runtime.clock.sleep(60_000)
      expect(await stage.versions()).toEqual({})
      await undoRollout(place, 'web')
      await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(await stage.versions()).toEqual({ v1: 3 })
    }))

  it('restores the pods when the policy is deleted', () =>
    play(74, async (stage) => {
      await started(stage)
      await stage.removePolicy()
      await stage.untilWorkload(({ status }) => status['availableReplicas'] === 3)
      expect(await stage.versions()).toEqual({ v2: 3 })
    }))

  it('requires a Deployment with strategy Recreate', () =>
    play(75, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.create({ lifecycle: { mid: { failurePolicy: 'Abort', jobSpec: job() } } })
      const { status } = await stage.untilPolicy((policy) => policy.status !== undefined)
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'RecreateNeeded' }),
      )
    }))
})
