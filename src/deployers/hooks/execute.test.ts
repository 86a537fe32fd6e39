import { describe, expect, it } from 'vitest'
import { createSimulation } from '../../runtime/simulated/index.ts'
import type { DeployItem } from '../resources/types.ts'
import { executeHooks } from './execute.ts'
import { type HookArguments, type HookType, hookTypes, ReconcileExtensionHooks } from './registry.ts'

const item: DeployItem = { apiVersion: 'a/v1', kind: 'DeployItem', metadata: { name: 'one' }, spec: { type: 't' } }

function given<T extends HookType>(type: T): HookArguments<T> {
  const isStart = type === 'Start'
  return {
    type,
    deployItem: isStart ? undefined : item,
    target: undefined,
    log: createSimulation(1).runtime.log,
    signal: new AbortController().signal,
    now: 0,
  } as HookArguments<T>
}

describe('ReconcileExtensionHooks', () => {
  it('keeps hooks by type in the order of their registration, none by default [deployers H1]', () => {
    const [one, two] = [() => undefined, () => undefined]
    const hooks = new ReconcileExtensionHooks().registerHook(one, 'End').registerHook(two, 'End')
    expect(hooks.get('End')).toEqual([one, two])
    expect(hooks.get('Start')).toEqual([])
    expect(executeHooks(new ReconcileExtensionHooks(), given('Start'))).toBeUndefined()
  })

  it('registers a hook for any number of types, also twice, and returns itself [deployers H2]', () => {
    const hooks = new ReconcileExtensionHooks()
    const hook = () => undefined
    expect(hooks.registerHook(hook)).toBe(hooks)
    for (const type of hookTypes) expect(hooks.get(type)).toEqual([])
    hooks.registerHook(hook, 'Start', 'End').registerHook(hook, 'End')
    expect(hooks.get('Start')).toEqual([hook])
    expect(hooks.get('End')).toEqual([hook, hook])
  })

  it('registers a setup [deployers H3]', () => {
    const hook = () => undefined
    const hooks = new ReconcileExtensionHooks()
    expect(hooks.registerHookSetup({ hook, hookTypes: ['BeforeDelete', 'End'] })).toBe(hooks)
    expect([...hooks.get('BeforeDelete'), ...hooks.get('End')]).toEqual([hook, hook])
  })

  it('refuses hooks once the deployer runs [deployers H4]', () => {
    const hooks = new ReconcileExtensionHooks().freeze()
    expect(() => hooks.registerHook(() => undefined, 'End')).toThrow('while the deployer runs')
  })
})

describe('executeHooks', () => {
  it('calls hooks in the order of their registration and awaits each', async () => {
    const calls: string[] = []
    const hooks = new ReconcileExtensionHooks()
      .registerHook(() => void calls.push('one'), 'End')
      .registerHook(async () => {
        await Promise.resolve()
        calls.push('two')
        return { reconcileResult: { requeueAfterMs: 5 } }
      }, 'End')
      .registerHook(() => {
        calls.push('three')
        return { reconcileResult: { requeueAfterMs: 3 }, abortReconcile: true }
      }, 'End')
    expect(await executeHooks(hooks, given('End'))).toEqual({
      reconcileResult: { requeue: false, requeueAfterMs: 3 },
      abortReconcile: true,
    })
    expect(calls).toEqual(['one', 'two', 'three'])
  })

  it('returns synchronously when all hooks do', () => {
    const hooks = new ReconcileExtensionHooks().registerHook(() => ({ abortReconcile: true }), 'End')
    expect(executeHooks(hooks, given('End'))).toMatchObject({ abortReconcile: true })
  })

  it.each([
    [
      'synchronously',
      () => () => {
        throw new Error('broken')
      },
    ],
    ['asynchronously', () => () => Promise.reject(new Error('broken'))],
  ])('stops at a hook that fails %s, drops all results and names the hook [deployers E1]', async (_, failing) => {
    const calls: string[] = []
    const hooks = new ReconcileExtensionHooks()
      .registerHook(() => ({ reconcileResult: { requeue: true } }), 'BeforeDelete')
      .registerHook(failing(), 'BeforeDelete')
      .registerHook(() => void calls.push('never'), 'BeforeDelete')
    const execution = (async () => await executeHooks(hooks, given('BeforeDelete')))()
    await expect(execution).rejects.toMatchObject({
      name: 'HookError',
      message: 'hook 1 of BeforeDelete: broken',
      type: 'BeforeDelete',
      index: 1,
    })
    expect(calls).toEqual([])
  })

  it('refuses an unknown type unless a hook is registered for it [deployers E7]', () => {
    const unknown = 'Sometimes' as 'End'
    const hooks = new ReconcileExtensionHooks()
    expect(() => executeHooks(hooks, given(unknown))).toThrow('unknown hook type "Sometimes"')
    hooks.registerHook(() => ({ abortReconcile: true }), unknown)
    expect(executeHooks(hooks, given(unknown))).toMatchObject({ abortReconcile: true })
  })
})

describe('a hook that is a function', () => {
  const run = (hook: unknown, more: Partial<HookArguments> = {}) => {
    const { runtime } = createSimulation(1)
    const hooks = new ReconcileExtensionHooks().registerHook(hook as () => undefined, 'BeforeReconcile')
    return executeHooks(hooks, { ...given('BeforeReconcile'), ...more }, undefined, {
      clock: runtime.clock,
      timeoutMs: 300_000,
    })
  }

  it.each<[string, unknown, string]>([
    ['text', 'yes', 'its result is of type string, not an object'],
    ['a list', [], 'its result is a list, not an object'],
    ['true', true, 'its result is true, not an object'],
    [
      'an unknown field',
      { abort: true },
      'its result has the unknown field abort; known fields are abortReconcile, reconcileResult',
    ],
    [
      'a text that is no boolean',
      { abortReconcile: 'true' },
      'abortReconcile of its result is of type string, not a boolean',
    ],
    [
      'no number',
      { reconcileResult: { requeueAfterMs: Number.NaN } },
      'reconcileResult.requeueAfterMs of its result is NaN',
    ],
    [
      'a duration',
      { reconcileResult: { requeueAfterMs: '10m' } },
      'reconcileResult.requeueAfterMs of its result is of type string, not a number of milliseconds',
    ],
    [
      'an unknown time',
      { reconcileResult: { requeueAfter: 5 } },
      'reconcileResult of its result has the unknown field requeueAfter',
    ],
  ])('[deployers P19] is refused when it returns %s', async (_, result, problem) => {
    expect(() => run(() => result)).toThrow(`hook 0 of BeforeReconcile: ${problem}`)
    await expect(run(async () => result)).rejects.toThrow(problem)
  })

  it('[deployers P19] may return any thenable', async () => {
    // biome-ignore lint/suspicious/noThenProperty: promises of other libraries have nothing else in common.
    const thenable = { then: (resolve: (value: object) => void) => resolve({ abortReconcile: true }) }
    expect(await run(() => thenable)).toMatchObject({ abortReconcile: true })
    // biome-ignore lint/suspicious/noThenProperty: as above.
    const refusing = { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('no')) }
    await expect(run(() => refusing)).rejects.toThrow('hook 0 of BeforeReconcile: no')
  })

  it('[deployers P19] is abandoned at its deadline, with a log line and its signal aborted', async () => {
    const simulation = createSimulation(1)
    await simulation.run(async () => {
      const { clock, log } = simulation.runtime
      let seen: AbortSignal | undefined
      const hooks = new ReconcileExtensionHooks().registerHook(function stuck({ signal }) {
        seen = signal
        return new Promise(() => undefined)
      }, 'End')
      const started = clock.now()
      const work = executeHooks(hooks, { ...given('End'), log }, undefined, { clock, timeoutMs: 300_000 })
      await expect(work).rejects.toThrow('hook 0 of End: did not settle within 300 s')
      expect(clock.now() - started).toBe(300_000)
      expect(seen?.aborted).toBe(true)
      expect(simulation.logs).toMatchObject([
        { level: 'warn', message: 'hook abandoned', fields: { point: 'End', hook: 'stuck', seconds: 300 } },
      ])
    })
  })

  it('[deployers P19] does not keep the process from ending', async () => {
    const stop = new AbortController()
    const work = run(() => new Promise(() => undefined), { signal: stop.signal })
    stop.abort(new Error('the operator stops'))
    await expect(work).rejects.toThrow('the operator stops')
  })
})
