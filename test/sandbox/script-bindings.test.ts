/** Kubernetes bindings of script hooks: what is watched and which contexts hooks receive. */
import { describe, expect, it } from 'vitest'
import { type KubeObject, resources } from '../../src/kube/index.ts'
import { labelSelector, maps, playScripts } from './scripts.ts'

const v1 = (...kubernetes: object[]) => ({ config: { configVersion: 'v1', kubernetes } })
const v0 = (...onKubernetesEvent: object[]) => ({ config: { onKubernetesEvent } })

describe('kubernetes bindings', () => {
  it('[addons N1, S3, W14] pass the list first, then each change', () =>
    playScripts({ 'a.sh': v1(maps()) }, async ({ start, configMap, change, remove, sleep, contextsOf }) => {
      await configMap('one', { a: '1' })
      await start()
      await sleep(1)
      await configMap('two', { b: '1' })
      await sleep(1)
      await change('one', { a: '2' })
      await sleep(1)
      await remove('two')
      await sleep(1)
      expect(contextsOf('a.sh')).toEqual([
        'maps Synchronization [default/one {"a":"1"}]',
        'maps Added default/two {"b":"1"}',
        'maps Modified default/one {"a":"2"}',
        'maps Deleted default/two {"b":"1"}',
      ])
    }))

  it('[addons W14] do not run when the filter result is unchanged', () =>
    playScripts(
      { 'a.sh': v1(maps({ jqFilter: '{a: .data.a}' })) },
      async ({ start, configMap, change, sleep, contextsOf }) => {
        await configMap('one', { a: '1' })
        await start()
        await change('one', { b: '2' })
        await sleep(1)
        expect(contextsOf('a.sh')).toHaveLength(1)
        await change('one', { a: '2' })
        await sleep(1)
        expect(contextsOf('a.sh').slice(1)).toEqual(['maps Modified default/one {"a":"2"}'])
      },
    ))

  it('run for every change without a filter', () =>
    playScripts({ 'a.sh': v1(maps({ jqFilter: '' })) }, async ({ start, configMap, change, sleep, contextsOf }) => {
      await start()
      await configMap('one', { a: '1' })
      await sleep(1)
      await change('one', { a: '1', b: '2' })
      await sleep(1)
      await change('one', { a: '1' })
      await sleep(1)
      expect(contextsOf('a.sh')).toEqual([
        'maps Synchronization []',
        'maps Added default/one',
        'maps Modified default/one',
      ])
    }))

  it('[addons W4] run only for the configured events; none means snapshots only', () =>
    playScripts(
      {
        'a.sh': v1(maps({ executeHookOnEvent: ['Deleted'] })),
        'b.sh': v1(maps({ executeHookOnEvent: [] })),
        'c.sh': v1(maps({ watchEvent: ['Modified'] })),
      },
      async ({ start, configMap, change, remove, sleep, contextsOf }) => {
        await start()
        await configMap('one', { a: '1' })
        await sleep(1)
        await change('one', { a: '2' })
        await sleep(1)
        await remove('one')
        await sleep(1)
        expect(contextsOf('a.sh')).toEqual(['maps Synchronization []', 'maps Deleted default/one {"a":"2"}'])
        expect(contextsOf('b.sh')).toEqual(['maps Synchronization []'])
        expect(contextsOf('c.sh')).toEqual(['maps Synchronization []', 'maps Modified default/one {"a":"2"}'])
      },
    ))

  it('[addons W5] skip the Synchronization with executeHookOnSynchronization false', () =>
    playScripts(
      { 'a.sh': v1(maps({ executeHookOnSynchronization: false })) },
      async ({ start, configMap, sleep, contextsOf }) => {
        await configMap('one', { a: '1' })
        await start()
        await configMap('two', { a: '2' })
        await sleep(1)
        expect(contextsOf('a.sh')).toEqual(['maps Added default/two {"a":"2"}'])
      },
    ))

  it('[addons W6] accept waitForSynchronization false', () =>
    playScripts(
      { 'a.sh': v1(maps({ waitForSynchronization: false, queue: 'own' })) },
      async ({ start, configMap, sleep, contextsOf }) => {
        await start()
        await configMap('one', {})
        await sleep(1)
        expect(contextsOf('a.sh')).toEqual(['maps Synchronization []', 'maps Added default/one null'])
      },
    ))

  it('[addons W7, S5] omit objects with keepFullObjectsInMemory false', () =>
    playScripts(
      {
        'a.sh': v1(maps({ keepFullObjectsInMemory: false, includeSnapshotsFrom: ['maps'] })),
        'b.sh': v1(maps({ keepFullObjectsInMemory: false, jqFilter: '' })),
      },
      async ({ start, configMap, sleep, contextsOf, runs }) => {
        await configMap('one', { a: '1' })
        await start()
        await configMap('two', { a: '2' })
        await sleep(1)
        expect(contextsOf('a.sh')).toEqual([
          'maps Synchronization [{"a":"1"}] maps=[{"a":"1"}]',
          'maps Added {"a":"2"} maps=[{"a":"1"}; {"a":"2"}]',
        ])
        expect(runs.filter(({ hook }) => hook === 'b.sh').map(({ contexts }) => contexts)).toEqual([
          [{ binding: 'maps', type: 'Synchronization', objects: [{}] }],
          [{ binding: 'maps', type: 'Event', watchEvent: 'Added' }],
        ])
      },
    ))

  it.each([true, false])(
    '[addons S8] have new snapshots with every change, with keepFullObjectsInMemory %s',
    (isWhole) =>
      playScripts(
        { 'a.sh': v1(maps({ keepFullObjectsInMemory: isWhole, includeSnapshotsFrom: ['maps'] })) },
        async ({ start, configMap, change, remove, sleep, contextsOf }) => {
          await configMap('one', { a: '1' })
          await start()
          await configMap('two', { a: '2' })
          await sleep(1)
          await change('one', { a: '3' })
          await sleep(1)
          await remove('two')
          await sleep(1)
          const snapshots = contextsOf('a.sh').map((context) => context.replaceAll('default/', '').split(' maps=')[1])
          const [first, second, third] = isWhole
            ? ['one {"a":"1"}', 'two {"a":"2"}', 'one {"a":"3"}']
            : ['{"a":"1"}', '{"a":"2"}', '{"a":"3"}']
          expect(snapshots).toEqual([`[${first}]`, `[${first}; ${second}]`, `[${third}; ${second}]`, `[${third}]`])
        },
      ),
  )

  it('[addons W1, W2, W3] find a kind by kind, plural, singular and short name in any case', () =>
    playScripts(
      {
        'a.sh': v1({ kind: 'NODES' }),
        'b.sh': v1({ kind: 'no' }),
        'c.sh': v1({ kind: 'node', apiVersion: 'v1' }),
        'd.sh': v1({ kind: 'Event', apiVersion: 'events.k8s.io/v1' }),
        'e.sh': v1({ kind: 'deploy' }),
      },
      async ({ start, client, sleep, contextsOf }) => {
        await client.of(resources.nodes).create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
        await start()
        await sleep(1)
        for (const hook of ['a.sh', 'b.sh', 'c.sh'])
          expect(contextsOf(hook)).toEqual(['kubernetes Synchronization [n1]'])
        for (const hook of ['d.sh', 'e.sh']) expect(contextsOf(hook)).toEqual(['kubernetes Synchronization []'])
      },
    ))

  it('[addons W9, W12] watch each name and namespace', () =>
    playScripts(
      {
        'a.sh': v1(
          maps({
            nameSelector: { matchNames: ['one', 'two'] },
            namespace: { nameSelector: { matchNames: ['shop', 'default'] } },
          }),
        ),
      },
      async ({ start, namespace, configMap, sleep, contextsOf }) => {
        for (const name of ['shop', 'other']) await namespace(name)
        for (const where of ['shop', 'other', 'default'])
          for (const name of ['two', 'one', 'three']) await configMap(name, {}, where)
        await start()
        await sleep(1)
        const expected = ['default/one', 'default/two', 'shop/one', 'shop/two'].map((name) => `${name} null`)
        expect(contextsOf('a.sh')).toEqual([`maps Synchronization [${expected.join('; ')}]`])
      },
    ))

  it('[addons W10, W11] select by labels and fields', () =>
    playScripts(
      {
        'a.sh': v1({
          kind: 'ConfigMap',
          labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['test'] }] },
          fieldSelector: { matchExpressions: [{ field: 'metadata.name', operator: 'NotEquals', value: 'one' }] },
        }),
      },
      async ({ start, configMap, sleep, contextsOf }) => {
        for (const name of ['one', 'two']) await configMap(name, {})
        await start()
        await sleep(1)
        expect(contextsOf('a.sh')).toEqual(['kubernetes Synchronization [default/two]'])
      },
    ))

  it('[addons W13] follow namespaces by label as they are created, changed and deleted', () =>
    playScripts(
      { 'a.sh': v1(maps({ namespace: { labelSelector: { matchLabels: { team: 'a' } } } })) },
      async ({ start, namespace, configMap, sleep, contextsOf, client }) => {
        await namespace('one', { team: 'a' })
        await namespace('two', { team: 'b' })
        for (const name of ['one', 'two']) await configMap('m', { in: name }, name)
        await start()
        await sleep(1)
        await namespace('two', { team: 'a' })
        await sleep(1)
        await configMap('n', {}, 'two')
        await sleep(1)
        await namespace('one', { team: null })
        await sleep(1)
        await configMap('n', {}, 'one')
        await namespace('three', { team: 'a' })
        await configMap('o', {}, 'three')
        await sleep(1)
        await client.of(resources.namespaces).delete('three')
        await sleep(10)
        expect(contextsOf('a.sh')).toEqual([
          'maps Synchronization [one/m {"in":"one"}]',
          'maps Added two/m {"in":"two"}',
          'maps Added two/n null',
          'maps Deleted one/m {"in":"one"}',
          'maps Added three/o null',
          'maps Deleted three/o null',
        ])
      },
    ))

  it('[addons W8] accept resynchronizationPeriod and ignore it', () =>
    playScripts(
      { 'a.sh': v1(maps({ resynchronizationPeriod: '1m' })) },
      async ({ start, sleep, contextsOf, simulation }) => {
        await start()
        await sleep(300)
        expect(contextsOf('a.sh')).toHaveLength(1)
        expect(
          simulation.logs.some(({ fields }) => String(fields?.['warning']).includes('resynchronizationPeriod')),
        ).toBe(true)
      },
    ))

  it('share one list and one watch regardless of their filters', () =>
    playScripts(
      {
        'a.sh': v1(maps()),
        'b.sh': v1(maps({ jqFilter: '.metadata.name' }), maps({ name: 'again', kind: 'cm', jqFilter: '.kind' })),
        'c.sh': v0({ kind: 'configmap', selector: labelSelector }),
      },
      async ({ start, configMap, sleep, contextsOf, requests }) => {
        await start()
        await configMap('one', { a: '1' })
        await sleep(1)
        expect(contextsOf('b.sh').at(-1)).toBe('maps Added default/one "one", again Added default/one "ConfigMap"')
        expect(requests.filter((request) => request.includes('/configmaps')).map((one) => /watch=/.test(one))).toEqual([
          false,
          true,
        ])
      },
    ))

  it('[addons B10, W14] continue when a filter fails for one object', () =>
    playScripts(
      {
        'a.sh': v1(maps({ jqFilter: '.data.n | tonumber' })),
        'b.sh': v1(maps({ jqFilter: '.data.n | tonumber', executeHookOnEvent: ['Modified'] })),
      },
      async ({ start, configMap, change, sleep, contextsOf, simulation }) => {
        await configMap('bad', { n: 'x' })
        await configMap('good', { n: '1' })
        await start()
        await sleep(1)
        await change('good', { n: 'y' })
        await change('good', { n: '1' })
        await change('bad', { n: '5' })
        await configMap('worse', { n: 'x' })
        await change('worse', { n: '7' })
        await sleep(1)
        const modified = ['maps Modified default/bad 5', 'maps Modified default/worse 7']
        for (const hook of ['a.sh', 'b.sh'])
          expect(contextsOf(hook)).toEqual(['maps Synchronization [default/good 1]', ...modified])
        expect(simulation.logs.filter(({ message }) => message.startsWith('jqFilter failed')).length).toBeGreaterThan(1)
      },
    ))
})

it('[addons B10] log no content of a Secret when its filter fails', () =>
  playScripts(
    { 'a.sh': v1({ name: 'secrets', kind: 'Secret', jqFilter: '.data.k | tonumber' }) },
    async ({ start, client, simulation }) => {
      const metadata = { name: 's', namespace: 'default' }
      await client
        .of(resources.secrets)
        .create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { k: 'aHVudGVy' } } as never)
      await start()
      const failures = simulation.logs.filter(({ message }) => message.startsWith('jqFilter failed'))
      expect(failures).toMatchObject([{ fields: { object: 'default/s', error: expect.stringContaining('not shown') } }])
      expect(JSON.stringify(simulation.logs)).not.toContain('aHVudGVy')
    },
  ))

const widgets = (version = 'v1') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.shop.example' },
  spec: {
    group: 'shop.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'] },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})
const widgetType = { group: 'shop.example', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true }
const widget = (name: string): KubeObject => ({
  apiVersion: 'shop.example/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default' },
})

describe('a kind that is not served yet', () => {
  it('[addons N10] delays only its own binding, which runs when the kind is added, removed and added again', () =>
    playScripts(
      { 'a.sh': v1({ name: 'widgets', kind: 'wd', jqFilter: '.metadata.name' }, maps()), 'b.sh': v1(maps()) },
      async ({ start, client, configMap, sleep, contextsOf, simulation }) => {
        const definitions = client.of(resources.customResourceDefinitions)
        await start()
        await sleep(1)
        await configMap('one', {})
        await sleep(60)
        expect(contextsOf('a.sh')).toEqual(['maps Synchronization []', 'maps Added default/one null'])
        expect(contextsOf('b.sh')).toEqual(contextsOf('a.sh'))
        await definitions.create(widgets())
        await sleep(5)
        await client.of(widgetType).create(widget('first'))
        await sleep(5)
        await definitions.delete('widgets.shop.example')
        await sleep(30)
        await definitions.create(widgets())
        await sleep(15)
        await client.of(widgetType).create(widget('second'))
        await sleep(5)
        expect(contextsOf('a.sh').slice(2)).toEqual([
          'widgets Synchronization []',
          'widgets Added default/first "first"',
          'widgets Deleted default/first "first"',
          'widgets Added default/second "second"',
        ])
        const said = simulation.logs.filter(({ message }) => /^the cluster (serves|does not serve)/.test(message))
        const waits = 'the cluster does not serve this kind: the binding starts later'
        const begins = 'the cluster serves the kind now: the binding starts'
        expect(said.map(({ message }) => message)).toEqual([waits, begins, waits, begins])
        for (const { fields } of said) expect(fields).toEqual({ kind: 'wd', hook: 'a.sh', binding: 'widgets' })
      },
    ))

  it('[addons N10] is not discovered after the operator stops', () =>
    playScripts({ 'a.sh': v1({ name: 'widgets', kind: 'wd' }) }, async ({ start, stop, client, sleep, requests }) => {
      await start()
      await client.of(resources.customResourceDefinitions).create(widgets())
      await sleep(0.5)
      const before = requests.length
      await stop()
      await sleep(20)
      expect(requests.slice(before)).toEqual([])
    }))

  it('[addons N10] is reported with a suggestion', () =>
    playScripts(
      { 'a.sh': v1({ name: 'old', kind: 'Deployment', apiVersion: 'extensions/v1beta1' }) },
      async ({ start, simulation }) => {
        await start()
        const said = simulation.logs.filter(({ message }) => message.startsWith('the cluster does not serve this kind'))
        expect(said.map(({ fields }) => fields['hint'])).toEqual(['it is served as apps/v1'])
      },
    ))
})

describe('onKubernetesEvent bindings', () => {
  it('[addons B7, B8, B9, X2, X4, Z1] report changes from now on, each in its own run', () =>
    playScripts(
      { 'a.sh': v0({ name: 'watch', kind: 'configMap', jqFilter: '.data', selector: labelSelector }) },
      async ({ start, configMap, change, remove, sleep, runs }) => {
        // Longer than a checksum, because only the checksum is kept.
        await configMap('old', { a: '1', more: 'x'.repeat(100) })
        await start()
        await configMap('new', { a: '1' })
        await change('old', { a: '1' })
        await change('old', { a: '2' })
        await remove('new')
        await configMap('new', { a: '1' })
        await sleep(1)
        const element = (resourceEvent: string, resourceName: string) => [
          { binding: 'watch', resourceEvent, resourceNamespace: 'default', resourceKind: 'ConfigMap', resourceName },
        ]
        expect(runs.map(({ contexts }) => contexts)).toEqual([
          element('add', 'new'),
          element('update', 'old'),
          element('delete', 'new'),
          element('add', 'new'),
        ])
      },
    ))

  it('[addons B11] watch each of several namespaces, which cluster-scoped kinds ignore', () =>
    playScripts(
      {
        'a.sh': v0({ kind: 'configmap', selector: labelSelector, namespaceSelector: { matchNames: ['one', 'two'] } }),
        'b.sh': v0({ kind: 'node', event: ['add'], namespaceSelector: { matchNames: ['one'] } }),
        'c.sh': v0({ kind: 'configmap', selector: labelSelector, namespaceSelector: { any: false } }),
      },
      async ({ start, namespace, configMap, client, sleep, runs }) => {
        for (const name of ['one', 'two', 'three']) await namespace(name)
        await start()
        for (const name of ['one', 'two', 'three']) await configMap('m', {}, name)
        await client.of(resources.nodes).create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })
        await sleep(1)
        const found = runs.map(({ hook, contexts }) => [hook, contexts[0]] as const)
        const element = (resourceNamespace: string) => ({
          binding: 'onKubernetesEvent',
          resourceEvent: 'add',
          resourceNamespace,
          resourceKind: 'ConfigMap',
          resourceName: 'm',
        })
        const node = { binding: 'onKubernetesEvent', resourceEvent: 'add', resourceKind: 'Node', resourceName: 'n1' }
        expect(found).toEqual([
          ['a.sh', element('one')],
          ['a.sh', element('two')],
          ['b.sh', node],
        ])
      },
    ))
})
