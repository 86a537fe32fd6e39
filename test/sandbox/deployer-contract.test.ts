/** The contract of deployers, promise by promise: responsibility, triggers, status and completion. */
import { describe, expect, it } from 'vitest'
import { ReconcileExtensionHooks } from '../../src/deployers/hooks/registry.ts'
import { LandscaperError } from '../../src/deployers/library/errors.ts'
import { annotations, finalizer } from '../../src/deployers/resources/annotations.ts'
import { landscaperResources } from '../../src/deployers/resources/types.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { metadataWrite, recorder, statusWrite, succeeded } from './deployer-recorder.ts'
import { namespace, onStage } from './deployers.ts'

describe('responsibility', () => {
  it('never touches an item of another type [deployers R1]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer, { watchAllTypes: true })
      await stage.item({ type: 'example.com/other' })
      await stage.sleep(60)
      expect([calls, stage.writes(), await stage.events()]).toEqual([[], [], []])
    }))

  it('reads the target from the namespace of the item [deployers R3]', () =>
    onStage(async (stage) => {
      const { deployer, seen } = recorder()
      await stage.deploy(deployer)
      await stage.target('north')
      await stage.item({ target: { name: 'north', namespace: 'elsewhere' } })
      await stage.untilPhase('Succeeded')
      expect(seen[0]?.target?.metadata).toMatchObject({ name: 'north', namespace })
    }))

  it('reports a missing target and begins when it is created, also after the item has failed [deployers R4]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      for (const wait of [30, 3600]) {
        const [target, name] = [`north-${wait}`, `thing-${wait}`]
        await stage.item({ target: { name: target } }, { name })
        await stage.sleep(wait)
        const { status } = await stage.get(name)
        expect(status?.phase).toBe(wait === 30 ? 'Init' : 'Failed')
        expect(status?.lastError).toMatchObject({
          operation: 'ReadTarget',
          reason: 'TargetNotFound',
          codes: ['ERR_CONFIGURATION_PROBLEM'],
          message: `spec.target.name: there is no Target ${target} in namespace default`,
        })
        expect((await stage.events()).map(({ reason }) => reason)).toContain('TargetNotFound')
        stage.writes()
        await stage.sleep(3600)
        if (wait === 3600) expect(stage.writes()).toEqual([])
        await stage.target(target)
        await stage.sleep(1)
        expect((await stage.get(name)).status?.phase).toBe('Succeeded')
      }
      expect(calls).toEqual(['reconcile', 'reconcile'])
    }))

  it('leaves the report of a missing target to the deployer that handled the item before [deployers R4]', () =>
    onStage(async (stage) => {
      const north = recorder()
      const south = recorder()
      const by = (name: string) => [{ targets: [{ name }] }]
      await stage.deploy(north.deployer, { identity: 'north', targetSelectors: by('north') })
      await stage.deploy(south.deployer, { identity: 'south', targetSelectors: by('south') })
      await stage.item({ target: { name: 'north' } })
      await stage.sleep(60)
      expect(stage.writes()).toEqual([])
      await stage.target('north')
      await stage.untilPhase('Succeeded')
      const targets = stage.client.of(landscaperResources.targets)
      const metadata = { finalizers: null }
      await targets.patch('north', { type: 'merge', value: { metadata } }, { namespace })
      await targets.delete('north', { namespace })
      await stage.change({ timeout: '1h' })
      const item = await stage.until(({ status }) => status?.lastError !== undefined)
      expect([item.status?.deployer?.identity, item.status?.lastError?.reason]).toEqual(['north', 'TargetNotFound'])
      expect(south.calls).toEqual([])
    }))

  it('ignores items of other targets without an error [deployers R10 P3]', () =>
    onStage(async (stage) => {
      const by = (name: string) => [{ targets: [{ name }] }]
      const north = recorder()
      const south = recorder()
      await stage.deploy(north.deployer, { identity: 'north', targetSelectors: by('north') })
      await stage.deploy(south.deployer, { identity: 'south', targetSelectors: by('south') })
      await stage.target('north')
      await stage.target('south')
      for (const name of ['north', 'south']) await stage.item({ target: { name } }, { name })
      for (const name of ['north', 'south']) {
        expect((await stage.untilPhase('Succeeded', name)).status?.deployer?.identity).toBe(name)
      }
      await stage.sleep(60)
      expect([north.calls, south.calls]).toEqual([['reconcile'], ['reconcile']])
      expect(stage.simulation.logs.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
    }))
})

describe('annotations and generations', () => {
  it('begins a run for a new item with three writes, the status first [deployers A1 A2 A3 F1 P5]', () =>
    onStage(async (stage) => {
      const { deployer } = recorder()
      await stage.deploy(deployer, { identity: 'one' })
      await stage.item()
      const item = await stage.untilPhase('Succeeded')
      expect(item.status).toEqual({
        observedGeneration: 1,
        phase: 'Succeeded',
        lastReconcileTime: '2026-01-01T00:00:00Z',
        deployer: { identity: 'one', name: 'things', version: 'v1' },
      })
      expect(stage.writes()).toEqual([statusWrite, metadataWrite, statusWrite])
    }))

  it('removes reconcile and reconcile-time in one write after the status [deployers A3 A4 W2]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.annotate({
        [annotations.operation]: 'reconcile',
        [annotations.reconcileTime]: '2026-01-01T00:00:00Z',
      })
      await stage.until(({ metadata }) => metadata.annotations?.[annotations.operation] === undefined)
      const item = await stage.untilPhase('Succeeded')
      expect(item.metadata.annotations ?? {}).toEqual({})
      expect(stage.writes()).toEqual([statusWrite, metadataWrite, statusWrite])
      expect(calls).toEqual(['reconcile', 'reconcile'])
    }))

  it('acknowledges a pickup even when there is nothing to do [deployers A4]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.annotate({ [annotations.reconcileTime]: '2026-01-01T00:00:00Z' })
      await stage.sleep(5)
      expect((await stage.get()).metadata.annotations ?? {}).toEqual({})
      expect([stage.writes(), calls]).toEqual([[metadataWrite], ['reconcile']])
    }))

  it('ignores an abort of a finished item [deployers A5 A6]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.annotate({ [annotations.operation]: 'abort' })
      await stage.sleep(60)
      expect([stage.writes(), calls]).toEqual([[], ['reconcile']])
      expect((await stage.get()).metadata.annotations).toEqual({ [annotations.operation]: 'abort' })
    }))

  it('makes no requests while nothing changes, also after a restart [deployers A6 P5]', () =>
    onStage(async (stage) => {
      const stop = await stage.deploy(recorder().deployer)
      await succeeded(stage)
      await stage.sleep(3600)
      expect(stage.writes()).toEqual([])
      await stop()
      const again = recorder()
      stage.reads()
      await stage.deploy(again.deployer)
      await stage.sleep(3600)
      expect([stage.writes(), stage.reads(), again.calls]).toEqual([[], 0, []])
    }))

  it('runs again when the spec changes, and when the item is deleted [deployers A1 A7 F2]', () =>
    onStage(async (stage) => {
      const { deployer, calls, seen } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.change({ timeout: '1h' })
      await stage.until(({ status }) => status?.observedGeneration === 2 && status.phase === 'Succeeded')
      await stage.remove()
      await stage.sleep(5)
      await expect(stage.get()).rejects.toThrow('not found')
      expect(calls).toEqual(['reconcile', 'reconcile', 'delete'])
      expect(seen[2]?.deployItem.metadata.generation).toBe(3)
      expect(seen[2]?.deployItem.status.phase).toBe('Deleting')
    }))

  it('acknowledges the pickup, reports a missing Context and begins when it is created [deployers A8 B17]', () =>
    onStage(
      async (stage) => {
        const { deployer, calls, seen } = recorder()
        await stage.deploy(deployer)
        await stage.item({}, { annotations: { [annotations.reconcileTime]: '2026-01-01T00:00:00Z' } })
        const item = await stage.until(({ status }) => status?.lastError !== undefined)
        expect(item.metadata.annotations ?? {}).toEqual({})
        expect(item.status?.lastError).toMatchObject({
          operation: 'ReadContext',
          reason: 'ContextNotFound',
          message: 'spec.context: there is no Context default in namespace default',
        })
        expect(calls).toEqual([])
        await stage.context('default')
        await stage.untilPhase('Succeeded')
        expect(seen[0]?.lsContext.metadata.name).toBe('default')
      },
      { withoutContext: true },
    ))

  it('fails when the Context is never created [deployers A8 E4]', () =>
    onStage(async (stage) => {
      await stage.deploy(recorder().deployer)
      await stage.item({ context: 'special' })
      const item = await stage.untilPhase('Failed')
      expect(item.status?.lastError?.message).toBe('spec.context: there is no Context special in namespace default')
      expect(stage.runtime.clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThan(5 * 60_000)
      await stage.sleep(3600)
      await stage.context('special')
      await stage.untilPhase('Succeeded')
    }))

  it('runs for a new jobID and records it as finished [deployers P7]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.writeStatus({ ...(await stage.get()).status, jobID: 'job-1' })
      const item = await stage.until(({ status }) => status?.jobIDFinished === 'job-1')
      expect(item.status?.phase).toBe('Succeeded')
      await stage.sleep(60)
      expect(calls).toEqual(['reconcile', 'reconcile'])
    }))

  it('does not run a finished item with the ignore annotation [deployers W3 S1b]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.annotate({ [annotations.ignore]: 'true' })
      await stage.change({ timeout: '1h' })
      await stage.sleep(60)
      expect([calls, stage.writes()]).toEqual([['reconcile'], []])
      await stage.annotate({ [annotations.ignore]: null })
      await stage.until(({ status }) => status?.observedGeneration === 2)
    }))
})

describe('finalizer, status and completion', () => {
  it('has the finalizer before the first call, on the force path too [deployers F1 B5 W6]', () =>
    onStage(async (stage) => {
      const held: (readonly string[] | undefined)[] = []
      const look = async () => {
        held.push((await stage.get()).metadata.finalizers)
        return undefined
      }
      const { deployer, calls } = recorder({ reconcile: look, forceReconcile: look })
      await stage.deploy(deployer)
      await stage.item({}, { annotations: { [annotations.operation]: 'force-reconcile' } })
      const item = await stage.untilPhase('Succeeded')
      expect([calls, held]).toEqual([['forceReconcile'], [[finalizer]]])
      expect(item.metadata.annotations ?? {}).toEqual({})
    }))

  it('keeps the finalizer until delete has finished [deployers F2 F4]', () =>
    onStage(async (stage) => {
      let left = 3
      const { deployer, calls } = recorder({
        delete: () => (left-- > 0 ? { unfinished: true, requeueAfterMs: 10_000 } : undefined),
      })
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.remove()
      const item = await stage.untilPhase('Deleting')
      expect(item.metadata.finalizers).toEqual([finalizer])
      await stage.sleep(25)
      await stage.get()
      await stage.sleep(10)
      await expect(stage.get()).rejects.toThrow('not found')
      expect(calls).toEqual(['reconcile', 'delete', 'delete', 'delete', 'delete'])
    }))

  it('reports Succeeded when another finalizer keeps a deleted item', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      await stage.item({}, { finalizers: ['example.com/hold'] })
      await stage.untilPhase('Succeeded')
      await stage.remove()
      const item = await stage.until(
        ({ status, metadata }) => status?.phase === 'Succeeded' && metadata.finalizers?.length === 1,
      )
      expect(item.metadata.finalizers).toEqual(['example.com/hold'])
      await stage.sleep(600)
      expect(calls).toEqual(['reconcile', 'delete'])
    }))

  it.each(['Failed', 'Succeeded', 'Progressing', 'Deleting'] as const)(
    'deletes an item in phase %s without uninstalling, without its Target and without hooks [deployers W4]',
    (phase) =>
      onStage(
        async (stage) => {
          const hooks = new ReconcileExtensionHooks().registerHook(() => {
            throw new Error('no hook is called')
          }, 'BeforeDelete')
          const { deployer, calls } = recorder({ hooks })
          await stage.deploy(deployer)
          await stage.item(
            { target: { name: 'gone' } },
            { finalizers: ['finalizer.landscaper.gardener.cloud'], annotations: { [annotations.ignore]: 'true' } },
          )
          await stage.sleep(1)
          await stage.remove()
          await stage.sleep(1)
          const { status, metadata } = await stage.get()
          await stage.writeStatus({ ...status, phase, observedGeneration: metadata.generation ?? 0 })
          await stage.sleep(60)
          await stage.annotate({ [annotations.deleteWithoutUninstall]: 'true' })
          await stage.sleep(1)
          await expect(stage.get()).rejects.toThrow('not found')
          expect(calls).toEqual([])
        },
        { withoutContext: true },
      ),
  )

  it('deletes an item without uninstalling on request [deployers W4]', () =>
    onStage(async (stage) => {
      const { deployer, calls } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      await stage.annotate({ [annotations.deleteWithoutUninstall]: 'true' })
      await stage.remove()
      await stage.sleep(5)
      await expect(stage.get()).rejects.toThrow('not found')
      expect(calls).toEqual(['reconcile'])
    }))

  it('writes the provider status and clears the last error [deployers F3 F4]', () =>
    onStage(async (stage) => {
      const providerStatus = { apiVersion: 'example.com/v1', kind: 'ProviderStatus', number: 7 }
      let fails = true
      const { deployer } = recorder({
        reconcile({ setProviderStatus }) {
          setProviderStatus(providerStatus)
          if (fails) throw new LandscaperError('Build', 'NoBricks', 'no bricks')
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      const failing = await stage.until(({ status }) => status?.lastError !== undefined)
      expect(failing.status).toMatchObject({ phase: 'Progressing', providerStatus, lastError: { reason: 'NoBricks' } })
      fails = false
      const item = await stage.untilPhase('Succeeded')
      expect(item.status).toMatchObject({ providerStatus })
      expect(item.status).not.toHaveProperty('lastError')
    }))

  it('reports Progressing during a long run and no final phase before its end [deployers F4 F5]', () =>
    onStage(async (stage) => {
      const { deployer } = recorder({
        async reconcile({ clock, deployItem, persist }) {
          deployItem.status.phase = 'Succeeded'
          await clock.sleep(3000)
          await persist()
          await clock.sleep(3000)
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      await stage.untilPhase('Progressing')
      await stage.sleep(4)
      expect((await stage.get()).status?.phase).toBe('Progressing')
      await stage.untilPhase('Succeeded')
    }))

  it('writes the exports before it reports Succeeded [deployers F5 W9]', () =>
    onStage(async (stage) => {
      const { deployer } = recorder({
        async reconcile({ exports }) {
          await exports({ url: 'https://example.com' })
          return undefined
        },
      })
      await stage.deploy(deployer)
      await stage.item()
      const item = await stage.untilPhase('Succeeded')
      expect(item.status?.exportRef).toEqual({ name: 'thing-export', namespace })
      const secret = (await stage.client.of(resources.secrets).get('thing-export', { namespace })) as never as {
        data: Record<string, string>
      }
      expect(JSON.parse(atob(secret.data['config'] ?? ''))).toEqual({ url: 'https://example.com' })
      expect(stage.writes()).toHaveLength(4)
    }))

  it('records a new version of the deployer with the next run [deployers A2 B6]', () =>
    onStage(async (stage) => {
      const stop = await stage.deploy(recorder().deployer, { identity: 'one' })
      await succeeded(stage)
      await stop()
      await stage.deploy(recorder({ version: 'v2' }).deployer, { identity: 'one' })
      await stage.annotate({ [annotations.operation]: 'reconcile' })
      const item = await stage.until(({ status }) => status?.deployer?.version === 'v2' && status.phase === 'Succeeded')
      expect(item.status?.deployer).toEqual({ identity: 'one', name: 'things', version: 'v2' })
    }))

  it('supports items without status, configuration and target [deployers B15]', () =>
    onStage(async (stage) => {
      const { deployer, seen } = recorder()
      await stage.deploy(deployer)
      await succeeded(stage)
      expect(seen[0]).toMatchObject({ config: undefined, target: undefined })
      expect(seen[0]?.deployItem.status.providerStatus).toBeUndefined()
    }))
})
