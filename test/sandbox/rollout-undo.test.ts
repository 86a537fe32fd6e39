/** Aborted and undone rollouts, in virtual time. */
import { describe, expect, it } from 'vitest'
import { undoRollout } from '../../src/cli/rollout/undo.ts'
import { abortAnnotation, undoAnnotation } from '../../src/rollouts/labels.ts'
import type { LifecycleHook } from '../../src/rollouts/policy/types.ts'
import { at, hasEnded, isOver, isStarted, job, play, type Stage } from './rollouts.ts'

const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const
const hook = (name: string, point: number | string, more: Partial<LifecycleHook> = {}): LifecycleHook => ({
  name,
  trigger: at(point),
  jobSpec: job(),
  ...more,
})
const broken = { jobSpec: job({ 'exit-code': '1' }) }
async function expectFree(stage: Stage): Promise<void> {
  const { metadata, spec } = await stage.untilWorkload(
    ({ metadata: seen }) => seen.labels?.['carabiner.dev/hold'] === undefined,
  )
  expect(Object.keys(metadata.labels ?? {})).toEqual(['carabiner.dev/rollout-policy'])
  expect(spec['paused'] ?? false).toBe(false)
}

describe.each(kinds)('a %s with onAbort Undo', (kind) => {
  it('[rollouts W28] is undone when a hook fails, with the hooks for an undo', () =>
    play(60, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({
        onAbort: 'Undo',
        lifecycleHooks: [
          hook('first', 1, broken),
          hook('tell', 0, { trigger: { type: 'Aborted' } }),
          hook('back', 0, { rolloutTypes: ['UNDO'] }),
        ],
      })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      const [back, gone] = status?.history ?? []
      expect(back).toMatchObject({ type: 'UNDO', phase: 'Complete', undoOf: gone?.id, to: gone?.from })
      expect(back?.hooks).toMatchObject([{ name: 'back', state: 'Succeeded', attempts: 1 }])
      expect(gone).toMatchObject({ type: 'ROLLOUT', phase: 'Aborted' })
      expect(gone?.message).toContain(`; back to ${gone?.from}`)
      expect(gone?.hooks).toMatchObject([
        { name: 'first', state: 'Failed' },
        { name: 'tell', state: 'Succeeded', attempts: 1 },
      ])
      expect(await stage.versions()).toEqual({ v1: 3 })
      await expectFree(stage)
    }))

  it('returns to the running revision, also when it was rolled out without hooks', () =>
    play(73, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({ onAbort: 'Undo', lifecycleHooks: [hook('first', 1)] })
      await stage.roll(2)
      await stage.untilPolicy(hasEnded('Complete'))
      await stage.changePolicy({ suspend: true })
      await stage.untilPolicy(({ status }) => status?.conditions?.some(({ reason }) => reason === 'Suspended') ?? false)
      await stage.roll(3)
      await stage.runtime.clock.sleep(120_000)
      expect(await stage.versions()).toEqual({ v3: 3 })
      await stage.changePolicy({
        suspend: false,
        lifecycleHooks: [hook('first', 1, broken)],
      })
      await stage.untilPolicy(({ status }) => status?.conditions?.some(({ reason }) => reason !== 'Suspended') ?? false)
      await stage.roll(4)
      await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(await stage.versions()).toEqual({ v3: 3 })
    }))

  it('is undone without hooks when no pod has changed', () =>
    play(61, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({ onAbort: 'Undo', lifecycleHooks: [hook('migrate', 0, broken)] })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(status?.rollout?.hooks).toEqual([])
      expect(status?.history).toMatchObject([{ phase: 'Complete' }, { phase: 'Aborted' }])
      expect(await stage.versions()).toEqual({ v1: 3 })
      expect(await stage.jobs()).toHaveLength(1)
      await expectFree(stage)
    }))

  it('[rollouts W28] goes back although every hook on the way back fails', () =>
    play(67, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({
        onAbort: 'Undo',
        lifecycleHooks: [
          hook('first', 1, broken),
          hook('tell', 0, { ...broken, trigger: { type: 'Aborted' }, failurePolicy: 'Retry' }),
          hook('back', 0, { ...broken, rolloutTypes: ['UNDO'] }),
          hook('again', 1, { ...broken, rolloutTypes: ['UNDO'], failurePolicy: 'Retry' }),
        ],
      })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(status?.rollout?.hooks).toMatchObject([
        { name: 'back', state: 'Ignored', attempts: 1 },
        { name: 'again', state: 'Ignored', attempts: 1 },
      ])
      expect(await stage.versions()).toEqual({ v1: 3 })
      await expectFree(stage)
    }))

  it('is not undone twice when the undo is aborted', () =>
    play(62, async (stage) => {
      await stage.running(kind, 3)
      const approval = { message: 'look' }
      const back: LifecycleHook = { name: 'back', trigger: at(1), approval, rolloutTypes: ['UNDO'] }
      await stage.policy({ onAbort: 'Undo', lifecycleHooks: [hook('first', 1, broken), back] })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.waitingFor === 'back')
      await stage.annotatePolicy(abortAnnotation)
      const { status } = await stage.untilPolicy(hasEnded('Aborted', 'UNDO'))
      await stage.runtime.clock.sleep(600_000)
      const later = await stage.untilPolicy(() => true)
      expect(later.status?.rollout).toEqual(status?.rollout)
      expect(later.status?.rollout?.undo).toBeUndefined()
      expect(later.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Stalled', status: 'True' }))
    }))

  it('[rollouts W28] goes back to a template without the container that a hook copies', () =>
    play(72, async (stage) => {
      await stage.running(kind, 3)
      const execNewPod = { containerName: 'tool', command: ['migrate'] }
      const migrate: LifecycleHook = { name: 'migrate', trigger: at(0), execNewPod }
      await stage.policy({ onAbort: 'Undo', lifecycleHooks: [hook('first', 1, broken)] })
      await stage.untilPolicy(({ status }) => status?.conditions?.some(({ reason }) => reason === 'AtRest') ?? false)
      await stage.changePolicy({ lifecycleHooks: [migrate, hook('first', 1, broken)] })
      await stage.roll(2, { name: 'tool' })
      const { status } = await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(status?.history?.[1]?.hooks).toMatchObject([{ state: 'Succeeded' }, { state: 'Failed' }])
      expect(await stage.versions()).toEqual({ v1: 3 })
    }))

  it('[rollouts W28] does not go back to the revision that an undo came from', () =>
    play(71, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({ onAbort: 'Undo', lifecycleHooks: [hook('first', 1, broken)] })
      await stage.roll(2)
      await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      await stage.annotatePolicy(undoAnnotation)
      await stage.untilPolicy(({ metadata }) => Object.keys(metadata.annotations ?? {}).length === 0)
      await stage.runtime.clock.sleep(60_000)
      expect(await stage.versions()).toEqual({ v1: 3 })
      await expect(undoRollout({ client: stage.client, namespace: 'default' }, 'web')).rejects.toThrow(
        'its last rollout went back from',
      )
    }))

  it('is undone on request, while running or complete', () =>
    play(63, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({ lifecycleHooks: [hook('first', 1)] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('first'))
      const first = await stage.annotatePolicy(undoAnnotation)
      const back = await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(back.status?.rollout?.undoOf).toBe(first)
      expect(back.status?.history?.[1]).toMatchObject({ id: first, phase: 'Aborted', hooks: [{ state: 'Cancelled' }] })
      expect(await stage.versions()).toEqual({ v1: 3 })
      await stage.roll(3)
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v3: 3 })
      const second = await stage.annotatePolicy(undoAnnotation)
      await stage.untilPolicy(({ status }) => status?.rollout?.undoOf === second && isOver({ status }))
      expect(await stage.versions()).toEqual({ v1: 3 })
      await stage.untilPolicy(({ metadata }) => Object.keys(metadata.annotations ?? {}).length === 0)
      await expectFree(stage)
    }))

  it('[rollouts W28] returns without hooks when the old template is put back during a rollout', () =>
    play(68, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({
        lifecycleHooks: [hook('migrate', 0), hook('first', 1, { jobSpec: job({ 'run-for': '1h' }) })],
      })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('first'))
      await stage.roll(1)
      const { status } = await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(status?.rollout?.hooks).toEqual([])
      expect(await stage.versions()).toEqual({ v1: 3 })
      await expectFree(stage)
    }))

  it('[rollouts W28] runs the hooks again when the template that was undone comes back', () =>
    play(69, async (stage) => {
      await stage.running(kind, 3)
      const approval = { message: 'look' }
      const back: LifecycleHook = { name: 'back', trigger: at(1), approval, rolloutTypes: ['UNDO'] }
      await stage.policy({ lifecycleHooks: [hook('first', 1, { jobSpec: job({ 'run-for': '1h' }) }), back] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('first'))
      await stage.roll(1)
      await stage.untilPolicy(({ status }) => status?.rollout?.waitingFor === 'back')
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isStarted('first'))
      expect(status?.rollout?.type).toBe('ROLLOUT')
    }))

  it('stops on abort and continues on retry', () =>
    play(64, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({ lifecycleHooks: [hook('first', 1), hook('last', '100%')] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('first'))
      await stage.annotatePolicy(abortAnnotation)
      const { status } = await stage.untilPolicy(hasEnded('Aborted'))
      expect(status?.rollout).toMatchObject({
        message: 'aborted: by request (annotation carabiner.dev/abort)',
        hooks: [{ state: 'Cancelled' }, { state: 'Pending' }],
      })
      await stage.untilPolicy(({ metadata }) => Object.keys(metadata.annotations ?? {}).length === 0)
      await stage.runtime.clock.sleep(60_000)
      expect((await stage.versions())['v2']).toBe(1)
      expect(await stage.jobs()).toEqual([])
      await stage.annotatePolicy('carabiner.dev/retry')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: 3 })
      await expectFree(stage)
    }))
})

describe('kubectl rollout restart', () => {
  const restart = (stage: Stage, restartedAt: string) =>
    stage.change({
      spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': restartedAt } } } },
    })

  it.each(kinds)('[rollouts W29] of a %s runs the hooks that are for it', (kind) =>
    play(70, async (stage) => {
      await stage.running(kind, 3)
      await stage.policy({ lifecycleHooks: [hook('migrate', 0, { rolloutTypes: ['ROLLOUT'] }), hook('smoke', 1)] })
      await restart(stage, '2026-01-01T00:00:00Z')
      const first = await stage.untilPolicy(hasEnded('Complete', 'RESTART'))
      expect(first.status?.rollout?.hooks).toMatchObject([{ name: 'smoke', state: 'Succeeded' }])
      await restart(stage, '2026-01-02T00:00:00Z')
      const isNext = hasEnded('Complete', 'RESTART')
      await stage.untilPolicy((policy) => policy.status?.rollout?.id !== first.status?.rollout?.id && isNext(policy))
      await stage.roll(2)
      const { status } = await stage.untilPolicy(hasEnded('Complete', 'ROLLOUT'))
      expect(status?.rollout?.hooks.map(({ name }) => name)).toEqual(['migrate', 'smoke'])
    }),
  )
})
