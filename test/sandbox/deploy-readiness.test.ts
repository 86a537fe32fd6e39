/** Readiness checks, timeouts and exports of manifest items. */
import { describe, expect, it } from 'vitest'
import { manifestDeployer } from '../../src/deployers/stock/manifest/deployer.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { deploying, type Stage } from './deploying.ts'

const config = (manifests: readonly object[], more: object = {}) => ({
  apiVersion: 'manifest.deployer.landscaper.gardener.cloud/v1alpha2',
  kind: 'ProviderConfiguration',
  manifests: manifests.map((manifest) => ({ manifest })),
  ...more,
})

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
})

const workload = (kind: string, behaviour: Record<string, string> = {}) => ({
  apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: { name: 'web' },
  spec: {
    ...(kind === 'Job' ? {} : { selector: { matchLabels: { app: 'web' } } }),
    ...(kind === 'StatefulSet' ? { serviceName: 'web' } : {}),
    template: {
      metadata: { labels: { app: 'web' }, annotations: behaviour },
      spec: {
        ...(kind === 'Job' ? { restartPolicy: 'Never' } : {}),
        containers: [{ name: 'web', image: 'web:1' }],
      },
    },
  },
})

const play = (scenario: (stage: Stage) => Promise<void>) => deploying(manifestDeployer, scenario)

const took = async ({ cluster }: Stage, work: () => Promise<string>): Promise<[string, number]> => {
  const started = cluster.runtime.clock.now()
  const said = await work()
  return [said, Math.round((cluster.runtime.clock.now() - started) / 1000)]
}

const checks = (...custom: readonly object[]) => ({ readinessChecks: { disableDefault: true, custom } })
const selector = { resourceSelector: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' }] }

describe('readiness', () => {
  it.each(['Deployment', 'StatefulSet', 'DaemonSet', 'Job'])('waits for a %s by default', (kind) =>
    play(async (stage) => {
      expect((await stage.call(config([workload(kind)])))?.unfinished).toBe(true)
      expect(stage.item().status.providerStatus?.['waitingFor']).toEqual([`${kind} default/web`])
      expect(await stage.reconcile(config([workload(kind)]))).toBe('done')
      expect(stage.item().status.providerStatus?.['waitingFor']).toBeUndefined()
    }),
  )

  it('[deployers P16] applies once per run: what others write while it waits stays, until the next run', () =>
    play(async (stage) => {
      const never = workload('Deployment', { 'sandbox.carabiner.dev/ready-delay': 'never' })
      const both = config([configMap('a', { colour: 'blue' }), never])
      const maps = stage.cluster.client.of(resources.configMaps)
      const write = (colour: string) =>
        maps.patch('a', { type: 'merge', value: { data: { colour } } }, { namespace: 'default' })
      const colour = async () =>
        ((await maps.get('a', { namespace: 'default' })) as unknown as { data: { colour: string } }).data.colour
      const begin = (time: string) => {
        stage.item().status.lastReconcileTime = time
      }
      begin('2026-01-01T00:00:01Z')
      await stage.call(both)
      await write('red')
      stage.written()
      for (let poll = 0; poll < 3; poll += 1) expect((await stage.call(both))?.unfinished).toBe(true)
      expect([stage.written(), await colour()]).toEqual([[], 'red'])
      begin('2026-01-01T00:00:09Z')
      await stage.call(both)
      expect(await colour()).toBe('blue')
      // A run that has failed, or has ended, leaves nothing behind that keeps the next one from applying.
      expect(await stage.reconcile(config([configMap('a', { colour: 'blue' })]))).toBe('done')
      expect(stage.item().status.providerStatus).not.toHaveProperty('appliedIn')
    }))

  it('[deployers P16] applies nothing again while it waits for the deletion of orphans', () =>
    play(async (stage) => {
      const held = { ...configMap('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } }
      expect(await stage.reconcile(config([configMap('a', { colour: 'blue' }), held]))).toBe('done')
      const maps = stage.cluster.client.of(resources.configMaps)
      stage.item().status.lastReconcileTime = '2026-01-01T01:00:00Z'
      const without = config([configMap('a', { colour: 'green' })])
      expect((await stage.call(without))?.unfinished).toBe(true)
      await maps.patch('a', { type: 'merge', value: { data: { colour: 'red' } } }, { namespace: 'default' })
      stage.written()
      expect((await stage.call(without))?.unfinished).toBe(true)
      expect(stage.written()).toEqual([])
      await maps.patch('held', { type: 'merge', value: { metadata: { finalizers: null } } }, { namespace: 'default' })
      expect(await stage.call(without)).toBeUndefined()
      expect(stage.item().status.providerStatus?.['managedResources']).toHaveLength(1)
    }))

  it('fails after three minutes by default and reports what is not ready', () =>
    play(async (stage) => {
      const never = workload('Deployment', { 'sandbox.carabiner.dev/ready-delay': 'never' })
      const [said, seconds] = await took(stage, () => stage.reconcile(config([never])))
      expect(said).toBe(
        'ERR_READINESS_CHECK_TIMEOUT not ready within 180 s: Deployment default/web: availableReplicas: 0 of 1',
      )
      expect(seconds).toBe(180)
      const short = config([never], { readinessChecks: { timeout: '10s' } })
      expect((await took(stage, () => stage.reconcile(short)))[1]).toBe(10)
      const off = config([never], { readinessChecks: { disableDefault: true } })
      expect(await stage.reconcile(off)).toBe('done')
    }))

  it('restarts the timeout with every run', () =>
    play(async (stage) => {
      const never = workload('Deployment', { 'sandbox.carabiner.dev/ready-delay': 'never' })
      await stage.reconcile(config([never]))
      await stage.cluster.sleep(60)
      expect((await took(stage, () => stage.reconcile(config([never]))))[1]).toBe(180)
    }))

  it('[deployers B13] applies a timeout to each custom check', () =>
    play(async (stage) => {
      const requirements = [{ jsonPath: '.data.ready', operator: '=', values: [{ value: 'yes' }] }]
      const slow = config([configMap('a')], checks({ name: 'slow', timeout: '7s', ...selector, requirements }))
      const [said, seconds] = await took(stage, () => stage.reconcile(slow))
      expect(said).toBe(
        'ERR_READINESS_CHECK_TIMEOUT not ready within 7 s: check "slow": ConfigMap default/a: .data.ready is absent, expected = "yes"',
      )
      expect(seconds).toBe(7)
    }))

  it('[deployers B13] evaluates every requirement, also after an exists requirement', () =>
    play(async (stage) => {
      const requirements = [
        { jsonPath: 'data.here', operator: 'exists' },
        { jsonPath: 'data.away', operator: '!' },
        { jsonPath: 'data.ready', operator: '==', values: [{ value: 'yes' }] },
      ]
      const check = checks({ name: 'all', timeout: '5s', ...selector, requirements })
      expect(await stage.reconcile(config([configMap('a', { here: '1', ready: 'no' })], check))).toContain(
        'data.ready is "no", expected = "yes"',
      )
      expect(await stage.reconcile(config([configMap('a', { here: '1', ready: 'yes' })], check))).toBe('done')
    }))

  it.each([
    ['in', ['x', 'y']],
    ['In', ['x', 'y']],
    ['notin', ['z']],
    ['NotIn', ['z']],
    ['!=', ['z']],
    ['exists', []],
    ['Exists', []],
  ])('supports the operator %s', (operator, values) =>
    play(async (stage) => {
      const check = (jsonPath: string) =>
        checks({
          name: 'one',
          timeout: '3s',
          ...selector,
          requirements: [{ jsonPath, operator, values: values.map((value) => ({ value })) }],
        })
      expect(await stage.reconcile(config([configMap('a', { v: 'x' })], check('data.v')))).toBe('done')
      const opposite = operator === '!=' || operator.toLowerCase() === 'notin' ? 'z' : 'other'
      const said = await stage.reconcile(config([configMap('a', { v: opposite })], check('data.v')))
      expect(said).toMatch(operator.toLowerCase() === 'exists' ? /^done$/ : /READINESS_CHECK_TIMEOUT/)
    }),
  )

  it('selects by labels and does not pass when nothing matches', () =>
    play(async (stage) => {
      const check = checks({
        name: 'labelled',
        timeout: '3s',
        labelSelector: { apiVersion: 'v1', kind: 'ConfigMap', matchLabels: { app: 'x' } },
        requirements: [{ jsonPath: 'data.v', operator: 'exists' }],
      })
      expect(await stage.reconcile(config([configMap('a')], check))).toContain(
        'no ConfigMap matches the label selector',
      )
      expect(await stage.reconcile(config([configMap('a', { v: '1' }, { app: 'x' })], check))).toBe('done')
    }))
})

describe('exports', () => {
  const from = (name: string, kind = 'ConfigMap') => ({ apiVersion: 'v1', kind, name, namespace: 'default' })

  it('reads values by path, nests them by key and follows references', () =>
    play(async (stage) => {
      await stage.cluster.create(resources.secrets, {
        metadata: { name: 'password' },
        data: { value: btoa('secret') },
      } as never)
      const service = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { host: 'db', port: '1' } }
      const pod = {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'sa', namespace: 'default' },
        secrets: [{ name: 'password' }],
      }
      const exports = [
        { key: 'db.host', jsonPath: '.data.host', fromResource: from('a') },
        { key: 'db.port', jsonPath: 'data.port', fromResource: from('a') },
        { key: 'all', jsonPath: '.data', fromResource: from('a') },
        {
          key: 'password',
          jsonPath: '.secrets[0]',
          fromResource: from('sa', 'ServiceAccount'),
          fromObjectRef: { apiVersion: 'v1', kind: 'Secret', jsonPath: '.data.value' },
        },
      ]
      expect(await stage.reconcile(config([service, pod], { exports: { exports } }))).toBe('done')
      expect(stage.item().exports).toEqual({
        db: { host: 'db', port: '1' },
        all: { host: 'db', port: '1' },
        password: btoa('secret'),
      })
    }))

  it('uses the default namespace of manifests for references without a namespace', () =>
    play(async (stage) => {
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }
      const requirements = [{ jsonPath: '.data.host', operator: 'exists' }]
      const more = {
        ...checks({ name: 'there', timeout: '5s', resourceSelector: [reference], requirements }),
        exports: { exports: [{ key: 'host', jsonPath: '.data.host', timeout: '5s', fromResource: reference }] },
      }
      expect(await stage.reconcile(config([configMap('a', { host: 'db' })], more))).toBe('done')
      expect(stage.item().exports).toEqual({ host: 'db' })
    }))

  it('waits for a value', () =>
    play(async (stage) => {
      const exports = [{ key: 'late', jsonPath: '.data.late', fromResource: from('other') }]
      const run = stage.reconcile(config([configMap('a')], { exports: { exports } }))
      await stage.cluster.sleep(20)
      await stage.cluster.create(resources.configMaps, configMap('other', { late: 'now' }))
      expect(await run).toBe('done')
      expect(stage.item().exports).toEqual({ late: 'now' })
    }))

  it('[deployers B12] the timeout of an export overrides the default', () =>
    play(async (stage) => {
      const missing = { key: 'x', jsonPath: '.data.x', fromResource: from('a') }
      const timed = (timeout: object, defaultTimeout: object) =>
        config([configMap('a')], { exports: { ...defaultTimeout, exports: [{ ...missing, ...timeout }] } })
      const [said, own] = await took(stage, () => stage.reconcile(timed({ timeout: '4s' }, { defaultTimeout: '60s' })))
      expect([said, own]).toEqual([
        'ERR_TIMEOUT no value within 4 s: export "x": .data.x is absent in ConfigMap default/a',
        4,
      ])
      expect((await took(stage, () => stage.reconcile(timed({}, { defaultTimeout: '9s' }))))[1]).toBe(9)
      expect((await took(stage, () => stage.reconcile(timed({}, {}))))[1]).toBe(300)
    }))
})
