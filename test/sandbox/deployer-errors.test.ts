/** The contract of deployers, promise by promise: errors, and which of the four functions is called. */
import { describe, expect, it } from 'vitest'
import { annotations } from '../../src/deployers/resources/annotations.ts'
import { type DeployItem, landscaperResources } from '../../src/deployers/resources/types.ts'
import { recorder, succeeded } from './deployer-recorder.ts'
import { namespace, onStage } from './deployers.ts'

describe('errors', () => {
  it('set lastError, record a warning and are retried with back-off [deployers E3 E5 B4]', () =>
    onStage(async (stage) => {
      const at: number[] = []
      const { deployer } = recorder({
        reconcile({ clock }) {
          at.push(clock.now())
          throw new Error('plain')
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      const item = await stage.until(({ status }) => status?.lastError !== undefined)
      expect(item.status?.lastError).toEqual({
        operation: 'Reconcile',
        reason: 'Error',
        message: 'plain',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        lastUpdateTime: '2026-01-01T00:00:00Z',
      })
      await stage.sleep(20)
      expect(at.map((time) => (time - (at[0] ?? 0)) / 1000)).toEqual([0, 1, 3, 7, 15])
      const later = await stage.get()
      expect(later.status?.lastError?.lastTransitionTime).toBe('2026-01-01T00:00:00Z')
      expect(later.status?.phase).toBe('Progressing')
      const [event] = await stage.events()
      expect(event).toMatchObject({ type: 'Warning', reason: 'Error', note: 'plain', regarding: { name: 'thing' } })
    }))

  it('fail the item after five minutes and are not retried afterwards [deployers E4]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({ reconcile: () => Promise.reject(new Error('still')) })
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Failed')
      const tries = calls.length
      await stage.sleep(3600)
      expect(calls.length).toBe(tries)
      expect((await stage.get()).status?.lastError?.message).toBe('still')
    }))

  it('in the configuration fail the item immediately with the field [deployers E4 W8]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({
        decode() {
          throw new Error('size: must be a number, not "big"')
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      const item = await stage.untilPhase('Failed')
      expect(item.status?.lastError).toMatchObject({
        message: 'spec.config: size: must be a number, not "big"',
        codes: ['ERR_CONFIGURATION_PROBLEM'],
      })
      expect(calls).toEqual([])
    }))

  it('of a status write prevent Succeeded [deployers E6]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({
        reconcile({ setProviderStatus }) {
          // The API server refuses an embedded object without a kind.
          if (calls.length < 3) setProviderStatus({ apiVersion: '', kind: '' })
          else setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus' })
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Succeeded')
      expect(calls).toHaveLength(3)
    }))

  it('on a conflict do not lose the result of the run [deployers B3 E6]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({
        async reconcile() {
          await stage.annotate({ 'example.com/note': 'written meanwhile' })
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      const item = await stage.untilPhase('Succeeded')
      expect(item.metadata.annotations).toEqual({ 'example.com/note': 'written meanwhile' })
      await stage.sleep(60)
      expect(calls).toEqual(['reconcile'])
    }))

  it('do not overwrite a concurrent failure and keep the provider status [deployers B3]', () =>
    onStage(async (stage) => {
      const lastError = {
        ...{ operation: 'WaitingForAbort', reason: 'AbortingTimeout', message: 'too late' },
        ...{ lastTransitionTime: '2026-01-01T00:00:00Z', lastUpdateTime: '2026-01-01T00:00:00Z' },
      }
      const { deployer, calls } = recorder({
        async reconcile({ setProviderStatus }) {
          setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus', built: true })
          await stage.writeStatus({ ...(await stage.get()).status, phase: 'Failed', lastError })
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      const item = await stage.until(({ status }) => status?.providerStatus !== undefined)
      expect(item.status).toMatchObject({ phase: 'Failed', lastError, providerStatus: { built: true } })
      await stage.sleep(60)
      expect(calls).toEqual(['reconcile'])
    }))

  it('do not lose a request that arrives during a run', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({
        async reconcile() {
          if (calls.length === 1) await stage.annotate({ [annotations.operation]: 'reconcile' })
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      await stage.sleep(60)
      expect(calls).toEqual(['reconcile', 'reconcile'])
      expect((await stage.get()).metadata.annotations ?? {}).toEqual({})
    }))
})

describe('abort, force-reconcile, delete and reconcile', () => {
  const busy = { reconcile: () => ({ unfinished: true, requeueAfterMs: 3_600_000 }) } as const

  it('aborts an item and removes the annotation [deployers N2 F4]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder(busy)
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Progressing')
      await stage.annotate({ [annotations.operation]: 'abort', [annotations.abortTime]: '2026-01-01T00:00:00Z' })
      const item = await stage.until(({ metadata }) => metadata.annotations?.[annotations.operation] === undefined)
      expect(item.metadata.annotations ?? {}).toEqual({})
      expect(item.status).toMatchObject({ phase: 'Failed', lastError: { operation: 'Abort', reason: 'Aborted' } })
      expect(calls).toEqual(['reconcile', 'abort'])
    }))

  it('interrupts a running function on abort', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({
        async reconcile({ clock, signal, setProviderStatus }) {
          setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus', half: true })
          await clock.sleep(3_600_000, signal)
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Progressing')
      await stage.annotate({ [annotations.operation]: 'abort' })
      const item = await stage.untilPhase('Failed')
      expect(calls).toEqual(['reconcile', 'abort'])
      expect(item.status).toMatchObject({ providerStatus: { half: true }, lastError: { reason: 'Aborted' } })
    }))

  it('aborts after the function when the request arrived too late to interrupt it', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({
        async reconcile({ setProviderStatus }) {
          setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus', half: true })
          await stage.annotate({ [annotations.operation]: 'abort' })
          return { unfinished: true, requeueAfterMs: 3_600_000 }
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Failed')
      expect(calls).toEqual(['reconcile', 'abort'])
      expect(stage.runtime.clock.now() - Date.UTC(2026, 0, 1)).toBeLessThan(5000)
    }))

  it('abandons a function that does not stop', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder({ reconcile: () => new Promise(() => {}) })
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Progressing')
      await stage.annotate({ [annotations.operation]: 'abort' })
      await stage.untilPhase('Failed')
      expect(calls).toEqual(['reconcile', 'abort'])
    }))

  it('aborts first and then deletes [deployers N1 N2]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder(busy)
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Progressing')
      await stage.annotate({ [annotations.operation]: 'abort' })
      await stage.remove()
      await stage.sleep(60)
      await expect(stage.get()).rejects.toThrow('not found')
      expect(calls).toEqual(['reconcile', 'abort', 'delete'])
    }))

  it('deletes without abort with deletionFirst [deployers N1]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder(busy)
      const stop = await stage.deploy(deployer, { deletionFirst: true })
      await stage.item()
      await stage.untilPhase('Progressing')
      await stop()
      await stage.annotate({ [annotations.operation]: 'abort' })
      await stage.remove()
      await stage.deploy(recorder().deployer, { deletionFirst: true })
      await stage.sleep(60)
      await expect(stage.get()).rejects.toThrow('not found')
      expect(calls).toEqual(['reconcile'])
    }))

  it('runs forceReconcile before delete [deployers N1]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      const stop = await stage.deploy(deployer)
      await succeeded(stage)
      await stop()
      await stage.annotate({ [annotations.operation]: 'force-reconcile' })
      await stage.remove()
      const next = recorder()
      await stage.deploy(next.deployer)
      await stage.untilPhase('Succeeded').catch(() => undefined)
      await stage.sleep(5)
      expect(calls).toEqual(['reconcile'])
      expect(next.calls[0]).toBe('forceReconcile')
    }))

  it('fails a run after its timeout [deployers F4]', () =>
    onStage(async (stage) => {
      const { deployer } = recorder({
        async reconcile({ clock, signal }) {
          await clock.sleep(3_600_000, signal)
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item({ timeout: '30s' })
      const item = await stage.untilPhase('Failed')
      expect(item.status?.lastError).toMatchObject({ reason: 'ProgressingTimeout', codes: ['ERR_TIMEOUT'] })
      expect(stage.runtime.clock.now() - Date.UTC(2026, 0, 1)).toBe(45_000)
    }))
})

describe('many items', () => {
  it('are not delayed by waiting items [deployers P4]', () =>
    onStage(async (stage) => {
      const { deployer } = recorder({
        async reconcile({ deployItem, clock, signal }) {
          if (deployItem.metadata.name.startsWith('stuck')) await clock.sleep(3_600_000, signal)
          return undefined
        },
      })
      await stage.deploy(deployer, { workers: 3 })
      for (let number = 0; number < 20; number++) await stage.item({}, { name: `stuck-${number}` })
      const begun = stage.runtime.clock.now()
      for (let number = 0; number < 50; number++) await stage.item({}, { name: `quick-${number}` })
      for (let number = 0; number < 50; number++) await stage.untilPhase('Succeeded', `quick-${number}`)
      expect(stage.runtime.clock.now() - begun).toBeLessThan(10_000)
    }))

  it('scale to a thousand with one deployer', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      for (let number = 0; number < 1000; number++) await stage.item({}, { name: `item-${number}` })
      await stage.sleep(60)
      expect(calls).toHaveLength(1000)
      const { items } = await stage.client.of<DeployItem>(landscaperResources.deployItems).list({ namespace })
      expect(new Set(items.map(({ status }) => status?.phase))).toEqual(new Set(['Succeeded']))
      expect(stage.writes()).toHaveLength(3000)
    }))
})
