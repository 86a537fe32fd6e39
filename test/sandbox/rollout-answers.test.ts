/** Approvals and retries of rollouts, through the functions that the commands use. */
import { describe, expect, it } from 'vitest'
import { answer } from '../../src/cli/rollout/approve.ts'
import { detailOf } from '../../src/cli/rollout/detail/detail.ts'
import { asAwaited, follow, look, type Observed } from '../../src/cli/rollout/follow.ts'
import { tryAgain } from '../../src/cli/rollout/retry.ts'
import { statusText } from '../../src/cli/rollout/status-text.ts'
import { undoRollout } from '../../src/cli/rollout/undo.ts'
import type { LifecycleHook, RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { at, hasEnded, isOver, job, play, type Stage } from './rollouts.ts'

const approval = (more: Partial<LifecycleHook> = {}): LifecycleHook => ({
  name: 'go',
  trigger: at(0),
  approval: { message: 'continue?' },
  ...more,
})
const isAsked = ({ status }: RolloutPolicy) => status?.rollout?.hooks[0]?.state === 'Running'
const reader = { programName: 'carabiner', stdout: { isTerminal: false, columns: 80 } }
const said = async (stage: Stage, { policy, outcome }: Observed) =>
  statusText({ ...(await detailOf(placeOf(stage), policy)), outcome }, stage.runtime.clock.now(), reader)
const placeOf = ({ client }: Stage) => ({ client, namespace: 'default' })

async function asked(stage: Stage, hook: LifecycleHook): Promise<RolloutPolicy> {
  await stage.running('Deployment', 2)
  await stage.policy({ lifecycleHooks: [hook] })
  await stage.roll(2)
  return stage.untilPolicy(isAsked)
}

describe('an approval', () => {
  it('needs no name where only one waits; where several do, they are listed', () =>
    play(52, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [approval(), approval({ name: 'ok' })] })
      await expect(answer(placeOf(stage), 'web', undefined, 'approved')).rejects.toMatchObject({
        message: 'no hook of web waits for an approval',
        remedy: 'See how far it is: carabiner rollout status -n default web',
      })
      await stage.roll(2)
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks.every(({ state }) => state === 'Running') ?? false)
      await expect(answer(placeOf(stage), 'web', undefined, 'approved')).rejects.toMatchObject({
        message: '2 hooks of web wait for an approval: go, ok',
        remedy: expect.stringContaining('carabiner rollout approve -n default web ok'),
      })
      expect(await answer(placeOf(stage), 'web', 'go', 'approved')).toBe('go')
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.state === 'Succeeded')
      expect(await answer(placeOf(stage), 'web', undefined, 'approved')).toBe('ok')
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
    }))

  it('holds the rollout until it is approved, also across a restart', () =>
    play(40, async (stage) => {
      const waiting = await asked(stage, approval())
      expect(waiting.status?.rollout).toMatchObject({ waitingFor: 'go', hooks: [{ message: 'continue?' }] })
      await stage.restart()
      expect(await stage.versions()).toEqual({ v1: 2 })
      await answer(placeOf(stage), 'deployment/web', 'go', 'approved')
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({ phase: 'Complete', hooks: [{ state: 'Succeeded', attempts: 1 }] })
      expect(await stage.versions()).toEqual({ v2: 2 })
      // The annotation is removed once it was processed.
      await stage.untilPolicy(({ metadata }) => Object.keys(metadata.annotations ?? {}).length === 0)
    }))

  it('fails when it is rejected', () =>
    play(41, async (stage) => {
      await asked(stage, approval())
      await answer(placeOf(stage), 'web', 'go', 'rejected')
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({
        phase: 'Aborted',
        hooks: [{ state: 'Failed', message: 'Rejected: the approval was rejected' }],
      })
      expect(await stage.versions()).toEqual({ v1: 2 })
    }))

  it('is requested again with Retry and ignores the previous decision', () =>
    play(42, async (stage) => {
      await asked(stage, approval({ failurePolicy: 'Retry' }))
      await answer(placeOf(stage), 'web', 'go', 'rejected')
      await stage.untilPolicy(({ status }) => status?.rollout?.hooks[0]?.attempts === 2)
      expect(await stage.versions()).toEqual({ v1: 2 })
      await answer(placeOf(stage), 'web', 'go', 'approved')
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
    }))

  it.each([
    ['Fail', 'Aborted', 'Failed'],
    ['Approve', 'Complete', 'Succeeded'],
  ] as const)('applies onTimeout %s when there is no decision in time', (onTimeout, phase, state) =>
    play(43, async (stage) => {
      await asked(stage, approval({ approval: { timeout: '10m', onTimeout } }))
      const { status } = await stage.untilPolicy(isOver)
      const [hook] = status?.rollout?.hooks ?? []
      expect([status?.rollout?.phase, hook?.state]).toEqual([phase, state])
      const took = Date.parse(hook?.endedAt ?? '') - Date.parse(hook?.startedAt ?? '')
      expect(took).toBeGreaterThanOrEqual(600_000)
      expect(took).toBeLessThan(601_000)
    }),
  )

  it('is refused for a hook that does not wait for one', () =>
    play(44, async (stage) => {
      await asked(stage, approval())
      await expect(answer(placeOf(stage), 'web', 'other', 'approved')).rejects.toMatchObject({ code: 'CRB_USAGE' })
      await answer(placeOf(stage), 'web', 'go', 'approved')
      await stage.untilPolicy(isOver)
      await expect(answer(placeOf(stage), 'web', 'go', 'approved')).rejects.toMatchObject({ code: 'CRB_USAGE' })
    }))
})

describe('an aborted rollout', () => {
  it.each([0, '50%', '100%'])('continues at %s on retry and repeats only failed hooks', (point) =>
    play(45, async (stage) => {
      await stage.running('Deployment', 4)
      const hooks = (code: string): LifecycleHook[] => [
        { name: 'first', trigger: at(0), jobSpec: job() },
        { name: 'second', trigger: at(point), jobSpec: job({ 'exit-code': code }) },
        { name: 'tell', trigger: { type: 'Aborted' }, jobSpec: job() },
      ]
      await stage.policy({ lifecycleHooks: hooks('1') })
      await stage.roll(2)
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Aborted')
      await tryAgain(placeOf(stage), 'web')
      const twice = await stage.untilPolicy(
        (policy) => isOver(policy) && policy.status?.rollout?.hooks[1]?.attempts === 2,
      )
      expect(twice.status?.rollout).toMatchObject({ phase: 'Aborted', hooks: [{ attempts: 1 }, {}, { attempts: 2 }] })
      await stage.changePolicy({ lifecycleHooks: hooks('0') })
      await tryAgain(placeOf(stage), 'web')
      const { status, metadata } = await stage.untilPolicy(({ status: now }) => now?.rollout?.phase === 'Complete')
      expect(status?.rollout?.hooks).toMatchObject([
        { state: 'Succeeded', attempts: 1 },
        { state: 'Succeeded', attempts: 3 },
        { state: 'Pending', attempts: 2 },
      ])
      expect(status?.history).toHaveLength(1)
      expect(metadata.annotations ?? {}).toEqual({})
      expect(await stage.versions()).toEqual({ v2: 4 })
      expect((await stage.workload()).spec['paused'] ?? false).toBe(false)
      await expect(tryAgain(placeOf(stage), 'web')).rejects.toMatchObject({ code: 'CRB_USAGE' })
    }),
  )
})

describe('following a rollout', () => {
  it('ends with the rollout, or earlier when it is aborted', () =>
    play(46, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      await stage.roll(2)
      const place = placeOf(stage)
      const first = await look(place, 'web')
      expect(first.outcome).toBe('going')
      const early = new AbortController()
      const { clock } = stage.runtime
      clock.after(5000, () => early.abort())
      expect((await follow(place, stage.runtime, first, { signal: early.signal })).outcome).toBe('going')
      const last = await follow(place, stage.runtime, first, { signal: new AbortController().signal })
      expect([last.outcome, last.policy.status?.rollout?.phase]).toEqual(['settled', 'Complete'])
    }))

  it('ends after the last hook of an abort, when a retry is possible', () =>
    play(48, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job({ 'exit-code': '1' }) },
          { name: 'tell', trigger: { type: 'Aborted' }, jobSpec: job() },
        ],
      })
      await stage.roll(2)
      const place = placeOf(stage)
      const last = await follow(place, stage.runtime, await look(place, 'web'), {
        signal: new AbortController().signal,
      })
      expect(last.outcome).toBe('failed')
      expect(last.policy.status?.rollout?.hooks).toMatchObject([{ state: 'Failed' }, { state: 'Succeeded' }])
      expect(await said(stage, last)).toContain('carabiner rollout retry -n default web')
      await tryAgain(place, 'web')
    }))

  it('reports a failure after an automatic undo, but not after a requested one', () =>
    play(47, async (stage) => {
      await stage.running('Deployment', 2)
      const hook = { name: 'migrate', trigger: at(0), jobSpec: job({ 'exit-code': '1' }) }
      await stage.policy({ onAbort: 'Undo', rolloutTypes: ['ROLLOUT'], lifecycleHooks: [hook] })
      const place = placeOf(stage)
      const isBack = ({ status }: RolloutPolicy) =>
        status?.rollout?.undoOf !== undefined && status.rollout.endedAt !== undefined
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isBack)
      const last = await look(place, 'web')
      expect([last.outcome, asAwaited(last).outcome]).toEqual(['settled', 'failed'])
      expect(await said(stage, last)).toMatch(
        new RegExp(`\ninstead +of ${status?.rollout?.undoOf} to web-\\w+, aborted: hook migrate: `),
      )
      await stage.changePolicy({ onAbort: 'Hold' })
      await stage.roll(3)
      await stage.untilPolicy(hasEnded('Aborted'))
      await undoRollout(place, 'web')
      await stage.untilPolicy(isBack)
      expect(asAwaited(await look(place, 'web')).outcome).toBe('settled')
    }))
})
