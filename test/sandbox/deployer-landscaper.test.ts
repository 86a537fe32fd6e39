/** The landscaper controllers in virtual time: executions, timeouts and default Contexts, with the whole surface running. */
import { describe, expect, it } from 'vitest'
import { type Deployer, type DeployFunction, defineDeployer } from '../../src/deployers/library/deployer.ts'
import { annotations, finalizer, labels } from '../../src/deployers/resources/annotations.ts'
import {
  apiVersion,
  type DeployItem,
  type Execution,
  landscaperResources,
} from '../../src/deployers/resources/types.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { until } from '../../src/kube/until.ts'
import { itemType, namespace, type Stage, withSurface } from './deployers.ts'

const config = { apiVersion: 'example.com/v1', kind: 'Configuration' }
const template = (name: string, dependsOn: readonly string[] = [], more: object = {}) => ({
  name,
  type: itemType,
  config,
  ...(dependsOn.length === 0 ? {} : { dependsOn }),
  ...more,
})

/** A deployer that records what it installs and removes, by template name. */
function installer(run: Partial<Record<string, DeployFunction<unknown>>> = {}): { deployer: Deployer; log: string[] } {
  const log: string[] = []
  const named = (item: DeployItem) => item.metadata.labels?.[labels.managedName] ?? item.metadata.name
  const deployer = defineDeployer<unknown>({
    type: itemType,
    async reconcile(context) {
      const name = named(context.deployItem)
      log.push(`+${name}`)
      return await run[name]?.(context)
    },
    delete({ deployItem }) {
      log.push(`-${named(deployItem)}`)
    },
    forceReconcile({ deployItem }) {
      log.push(`!${named(deployItem)}`)
    },
  })
  return { deployer, log }
}

function executionsOf(stage: Stage) {
  const handle = stage.client.of<Execution>(landscaperResources.executions)
  const at = { namespace }
  return {
    create: (deployItems: readonly object[], name = 'all') =>
      handle.create({ apiVersion, kind: 'Execution', metadata: { name, namespace }, spec: { deployItems } } as never),
    get: () => handle.get('all', at),
    until: (holds: (execution: Execution) => boolean) =>
      until(handle, stage.runtime, { name: 'all', namespace, signal: new AbortController().signal }, holds),
    patch: (value: object) => handle.patch('all', { type: 'merge', value }, at),
    annotate: (operation: string) =>
      handle.patch(
        'all',
        { type: 'merge', value: { metadata: { annotations: { [annotations.operation]: operation } } } },
        at,
      ),
    remove: () => handle.delete('all', at),
    items: async () => (await stage.client.of<DeployItem>(landscaperResources.deployItems).list({ namespace })).items,
  }
}

describe('an execution', () => {
  it('creates items in the order of their dependencies and deletes them in reverse [deployers P6]', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('app', ['db', 'net']), template('db', ['net']), template('net')])
      const done = await executions.until(({ status }) => status?.phase === 'Succeeded')
      expect(log).toEqual(['+net', '+db', '+app'])
      expect(done.metadata.finalizers).toEqual([finalizer])
      expect(done.status?.execGenerations).toHaveLength(3)
      await executions.remove()
      await stage.sleep(30)
      expect(log.slice(3)).toEqual(['-app', '-db', '-net'])
      expect(await executions.items()).toEqual([])
      await expect(executions.get()).rejects.toThrow('not found')
    }))

  it('labels and annotates the items it triggers [deployers T1 W5]', () =>
    withSurface(undefined, async (stage) => {
      const executions = executionsOf(stage)
      await executions.create([
        template('net', [], { labels: { team: 'a' }, target: { name: 'north' }, timeout: '1m' }),
      ])
      await stage.sleep(5)
      const [item] = await executions.items()
      expect(item?.metadata.name).toMatch(/^all-net-[0-9a-f]{5}$/)
      expect(item?.metadata).toMatchObject({
        labels: { team: 'a', [labels.managedBy]: 'all', [labels.managedName]: 'net' },
        annotations: { [annotations.operation]: 'reconcile', [annotations.reconcileTime]: '2026-01-01T00:00:00Z' },
      })
      expect(item?.spec).toEqual({ type: itemType, config, target: { name: 'north' }, timeout: '1m' })
    }))

  it('records the dependencies on the item [deployers T1 W5]', () =>
    withSurface(installer(), async (stage) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db'), template('app', ['db', 'net'])])
      await executions.until(({ status }) => status?.phase === 'Succeeded')
      const app = (await executions.items()).find(({ metadata }) => metadata.labels?.[labels.managedName] === 'app')
      expect(app?.metadata.annotations).toEqual({ [annotations.dependsOn]: 'db,net' })
    }))

  it('collects the exports of its items by name [deployers P6]', () =>
    withSurface(installer({ db: async ({ exports }) => void (await exports({ host: 'db.local' })) }), async (stage) => {
      const executions = executionsOf(stage)
      await executions.create([template('db'), template('app')])
      const { status } = await executions.until((found) => found.status?.phase === 'Succeeded')
      expect(status?.exportRef).toEqual({ name: 'all-export', namespace })
      const secret = await stage.client.of(resources.secrets).get('all-export', { namespace })
      const { data } = secret as KubeObject & { data: Record<string, string> }
      expect(JSON.parse(atob(data['config'] ?? ''))).toEqual({ db: { host: 'db.local' } })
    }))

  it('runs every item again, in order, when its spec changes', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db', ['net'])])
      await executions.until(({ status }) => status?.phase === 'Succeeded')
      log.splice(0)
      await executions.patch({ spec: { deployItems: [template('net'), template('db', ['net'], { timeout: '5m' })] } })
      await executions.until(({ status }) => status?.observedGeneration === 2 && status.phase === 'Succeeded')
      expect(log).toEqual(['+net', '+db'])
      expect(await executions.items()).toHaveLength(2)
    }))

  it('deletes items whose templates were removed', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db', ['net']), template('app', ['db'])])
      await executions.until(({ status }) => status?.phase === 'Succeeded')
      log.splice(0)
      await executions.patch({ spec: { deployItems: [template('net')] } })
      await executions.until(({ status }) => status?.observedGeneration === 2 && status.phase === 'Succeeded')
      expect(log.slice(0, 2)).toEqual(['-app', '-db'])
      expect(await executions.items()).toHaveLength(1)
    }))

  it('stops at a failed item and continues when it is fixed', () => {
    let fails = true
    const fixable: DeployFunction<unknown> = ({ deployItem }) => {
      if (fails) deployItem.status.phase = 'Failed'
      return undefined
    }
    return withSurface(installer({ net: fixable }), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db', ['net'])])
      const failed = await executions.until(({ status }) => status?.phase === 'Failed')
      expect(failed.status?.lastError?.message).toContain('deploy item net has failed')
      expect(log).toEqual(['+net'])
      fails = false
      await executions.annotate('reconcile')
      const done = await executions.until(({ status }) => status?.phase === 'Succeeded')
      expect(log).toEqual(['+net', '+net', '+db'])
      expect(done.status).not.toHaveProperty('lastError')
      expect(done.metadata.annotations ?? {}).toEqual({})
    })
  })

  it('force-reconciles all items on request', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db', ['net'])])
      await executions.until(({ status }) => status?.phase === 'Succeeded')
      await executions.annotate('force-reconcile')
      await executions.until(
        ({ metadata, status }) =>
          metadata.annotations?.[annotations.operation] === undefined && status?.phase === 'Succeeded',
      )
      expect(log).toEqual(['+net', '+db', '!net', '!db'])
    }))

  it('force-reconciles its items once, also when one of them fails', () => {
    const { deployer, log } = installer()
    const failing = defineDeployer<unknown>({
      ...deployer,
      forceReconcile({ deployItem }) {
        log.push(`!${deployItem.metadata.labels?.[labels.managedName]}`)
        deployItem.status.phase = 'Failed'
      },
    })
    return withSurface({ deployer: failing, log }, async (stage) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db', ['net'])])
      await executions.until(({ status }) => status?.phase === 'Succeeded')
      await executions.annotate('force-reconcile')
      await stage.sleep(60)
      expect(log).toEqual(['+net', '+db', '!net'])
      const { metadata, status } = await executions.get()
      expect(metadata.annotations ?? {}).toEqual({})
      expect(status?.lastError?.message).toContain('deploy item net has failed')
    })
  })

  it('force-reconciles all items, also when requested during a run', () => {
    let isHeld = true
    const held: DeployFunction<unknown> = () => (isHeld ? { unfinished: true } : undefined)
    return withSurface(installer({ db: held }), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db', ['net']), template('app', ['db'])])
      await stage.sleep(10)
      expect(log.slice(0, 2)).toEqual(['+net', '+db'])
      log.splice(0)
      isHeld = false
      await executions.annotate('force-reconcile')
      const done = await executions.until(
        ({ metadata, status }) =>
          metadata.annotations?.[annotations.operation] === undefined && status?.phase === 'Succeeded',
      )
      expect(log.filter((entry) => entry.startsWith('!'))).toEqual(['!net', '!db', '!app'])
      expect(done.metadata.annotations ?? {}).toEqual({})
    })
  })

  it('force-reconciles an item that was triggered but not picked up', () =>
    withSurface(undefined, async (stage) => {
      const executions = executionsOf(stage)
      await executions.create([template('net')])
      await stage.sleep(5)
      await executions.annotate('force-reconcile')
      await stage.sleep(5)
      const [item] = await executions.items()
      expect(item?.metadata.annotations?.[annotations.operation]).toBe('force-reconcile')
    }))

  it('waits and reports it when a quota is exceeded', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      const quotas = stage.client.of({ ...resources.configMaps, resource: 'resourcequotas', kind: 'ResourceQuota' })
      const hard = { 'count/deployitems.landscaper.gardener.cloud': '1' }
      await quotas.create({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'few', namespace },
        spec: { hard },
      } as never)
      await executions.create([template('net'), template('db', ['net'])])
      const { status } = await executions.until((found) => found.status?.lastError !== undefined)
      expect(status).toMatchObject({ phase: 'Progressing', lastError: { reason: 'QuotaExceeded' } })
      expect(status?.lastError).not.toHaveProperty('codes')
      expect(status?.lastError?.message).toContain('exceeded quota: few')
      await stage.sleep(200)
      const quotaEvents = (await stage.events()).filter(({ reason }) => reason === 'QuotaExceeded')
      expect(quotaEvents).toHaveLength(1)
      await quotas.delete('few', { namespace })
      const done = await executions.until((found) => found.status?.phase === 'Succeeded')
      expect(done.status).not.toHaveProperty('lastError')
      expect(log).toEqual(['+net', '+db'])
    }))

  it('does not fail in a terminating namespace', () => {
    let isHeld = true
    const held: DeployFunction<unknown> = () => (isHeld ? { unfinished: true } : undefined)
    return withSurface(installer({ net: held }), async (stage) => {
      const handle = stage.client.of<Execution>(landscaperResources.executions)
      await stage.client.of(resources.namespaces).create({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'ending' },
      } as never)
      await stage.sleep(1)
      await handle.create({
        apiVersion,
        kind: 'Execution',
        metadata: { name: 'all', namespace: 'ending' },
        spec: { deployItems: [template('net'), template('db', ['net'])] },
      } as never)
      await stage.sleep(5)
      await stage.client.of(resources.namespaces).delete('ending')
      isHeld = false
      await stage.sleep(120)
      const { status } = await handle.get('all', { namespace: 'ending' })
      expect(status?.phase).toBe('Progressing')
      expect(status).not.toHaveProperty('lastError')
      expect((await stage.events()).map(({ reason }) => reason)).not.toContain('ItemRefused')
    })
  })

  it('aborts running items on request', () =>
    withSurface(installer({ net: () => ({ unfinished: true }) }), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('db', ['net'])])
      await stage.sleep(10)
      await executions.annotate('abort')
      const over = await executions.until(({ status }) => status?.phase === 'Failed')
      await stage.sleep(10)
      expect(over.status?.lastError?.message).toContain('abort')
      expect(log).not.toContain('+db')
      expect((await executions.get()).metadata.annotations ?? {}).toEqual({})
    }))

  it('passes on delete-without-uninstall [deployers W4]', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net')])
      await executions.until(({ status }) => status?.phase === 'Succeeded')
      await executions.patch({ metadata: { annotations: { [annotations.deleteWithoutUninstall]: 'true' } } })
      await executions.remove()
      await stage.sleep(10)
      await expect(executions.get()).rejects.toThrow('not found')
      expect(log).toEqual(['+net'])
    }))

  it('reports why an item cannot be created and continues when it is fixed', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('Big_Net')])
      const { status } = await executions.until((found) => found.status?.phase === 'Failed')
      expect(status?.lastError).toMatchObject({ reason: 'ItemRefused', codes: ['ERR_CONFIGURATION_PROBLEM'] })
      expect(status?.lastError?.message).toMatch(/^deploy item Big_Net: .*metadata.name: Invalid value/)
      await executions.patch({ spec: { deployItems: [template('net')] } })
      const done = await executions.until((found) => found.status?.phase === 'Succeeded')
      expect(done.status).not.toHaveProperty('lastError')
      expect(log).toEqual(['+net'])
    }))

  it('installs the other items once when an item cannot be created', () =>
    withSurface(installer(), async (stage, { log }) => {
      const executions = executionsOf(stage)
      await executions.create([template('net'), template('Big_Net')])
      await executions.until((found) => found.status?.phase === 'Failed')
      await stage.sleep(300)
      expect(log).toEqual(['+net'])
    }))

  it('fails with an item that is not picked up [deployers T9]', () =>
    withSurface(undefined, async (stage) => {
      const executions = executionsOf(stage)
      await executions.create([template('net')])
      const { status } = await executions.until((found) => found.status?.phase === 'Failed')
      expect(status?.lastError).toMatchObject({ reason: 'PickupTimeout', codes: ['ERR_TIMEOUT'] })
      const [item] = await executions.items()
      expect(item?.status?.observedGeneration).toBe(0)
    }))

  it.each([
    [
      [template('a', ['b']), template('b', ['c']), template('c', ['a'])],
      'cyclic dependency: a -> b -> c -> a',
      'ERR_CYCLIC_DEPENDENCIES',
    ],
    [
      [template('a', ['x'])],
      'spec.deployItems[0].dependsOn: a depends on x, which does not exist',
      'ERR_CONFIGURATION_PROBLEM',
    ],
  ])('fails with errors that the schema cannot refuse: %o', (items, message, code) =>
    withSurface(installer(), async (stage) => {
      const executions = executionsOf(stage)
      await executions.create(items)
      const { status } = await executions.until((found) => found.status?.phase === 'Failed')
      expect(status?.lastError?.message).toContain(message)
      expect(status?.lastError?.codes).toEqual([code])
      expect(await executions.items()).toEqual([])
    }),
  )

  it.each([
    [[template('a', ['a'])], 'an item cannot depend on itself'],
    [[template('a'), template('a')], 'Duplicate value'],
    [[{ name: 'a', type: itemType }], 'config: Required value'],
  ])('is refused by the schema: %o', (items, message) =>
    withSurface(undefined, async (stage) => {
      await expect(executionsOf(stage).create(items)).rejects.toThrow(message)
    }),
  )
})

describe('timeouts', () => {
  const waiting = { [annotations.operation]: 'reconcile', [annotations.reconcileTime]: '2026-01-01T00:00:00Z' }
  const seconds = (stage: Stage) => (stage.runtime.clock.now() - Date.UTC(2026, 0, 1)) / 1000

  it('fail an item that no deployer picks up, and a later deployer can still pick it up [deployers T2 T3]', () =>
    withSurface(undefined, async (stage) => {
      await stage.item({}, { annotations: waiting })
      const item = await stage.untilPhase('Failed')
      expect(seconds(stage)).toBe(305)
      expect(item.status).toMatchObject({
        observedGeneration: 0,
        lastError: {
          message: 'no deployer has reconciled this deployitem within 300 seconds',
          reason: 'PickupTimeout',
        },
      })
      await stage.sleep(3600)
      expect((await stage.get()).metadata.resourceVersion).toBe(item.metadata.resourceVersion)
      await stage.deploy(installer().deployer)
      expect((await stage.untilPhase('Succeeded')).metadata.annotations ?? {}).toEqual({})
    }))

  it('abort a run that takes too long, and fail it when it does not abort [deployers T4 T5 B2]', () =>
    withSurface(
      {
        ...installer(),
        deployer: defineDeployer({
          type: itemType,
          // Writes its status continuously, which must not postpone the timeout.
          async reconcile({ setProviderStatus, clock }) {
            setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus', at: clock.now() })
            await Promise.resolve()
            return { unfinished: true, requeueAfterMs: 7000 }
          },
          abort: ({ setProviderStatus, clock }) => {
            setProviderStatus({ apiVersion: 'example.com/v1', kind: 'ProviderStatus', at: clock.now() })
            return { unfinished: true, requeueAfterMs: 7000 }
          },
          delete() {},
        }),
      },
      async (stage) => {
        await stage.item({ timeout: '100s' })
        const aborting = await stage.until(({ metadata }) => metadata.annotations?.[annotations.operation] === 'abort')
        expect(aborting.status?.phase).toBe('Progressing')
        const stamp = aborting.metadata.annotations?.[annotations.abortTime]
        const item = await stage.untilPhase('Failed')
        expect(item.metadata.annotations?.[annotations.abortTime]).toBe(stamp)
        expect(item.status?.lastError).toMatchObject({
          operation: 'WaitingForAbort',
          reason: 'AbortingTimeout',
          message: 'deployer has not aborted progressing this deploy item within 300 seconds',
          codes: ['ERR_TIMEOUT'],
        })
        await stage.sleep(5)
        expect((await stage.get()).metadata.annotations ?? {}).toEqual({})
      },
    ))

  it('end with an abort by the deployer and do not affect the next run [deployers B1 N2]', () =>
    withSurface(installer({ thing: () => ({ unfinished: true }) }), async (stage) => {
      await stage.item({ timeout: '20s' })
      const item = await stage.untilPhase('Failed')
      expect(item.status?.lastError?.reason).toBe('Aborted')
      await stage.sleep(5)
      expect((await stage.get()).metadata.annotations ?? {}).toEqual({})
      await stage.sleep(1000)
      const begun = seconds(stage)
      await stage.annotate({ [annotations.operation]: 'reconcile' })
      await stage.untilPhase('Progressing')
      await stage.untilPhase('Failed')
      expect(seconds(stage) - begun).toBeGreaterThanOrEqual(20)
    }))

  it('do not fail the item when a time is invalid [deployers T7]', () =>
    withSurface(undefined, async (stage) => {
      await stage.item({}, { annotations: { [annotations.reconcileTime]: 'soon' } })
      await stage.sleep(600)
      expect((await stage.get()).status).toBeUndefined()
    }))
})

describe('default Contexts', () => {
  it('exist in every namespace, are re-created, and keep changes of users', () =>
    withSurface(installer(), async (stage) => {
      const contexts = stage.client.of(landscaperResources.contexts)
      await stage.client
        .of(resources.namespaces)
        .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fresh' } })
      await stage.sleep(1)
      await contexts.get('default', { namespace: 'fresh' })
      const own = { repositoryContext: { type: 'ociRegistry', baseUrl: 'example.com' } }
      await contexts.patch('default', { type: 'merge', value: own }, { namespace: 'fresh' })
      await stage.sleep(60)
      expect(await contexts.get('default', { namespace: 'fresh' })).toMatchObject(own)
      await contexts.delete('default', { namespace: 'fresh' })
      await stage.sleep(1)
      await contexts.get('default', { namespace: 'fresh' })
      await stage.item()
      await stage.untilPhase('Succeeded')
    }))
})
