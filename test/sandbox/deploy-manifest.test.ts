/** The manifest deployer: writes, update strategies, policies, orphans and deletion order. */
import { describe, expect, it } from 'vitest'
import { manifestDeployer } from '../../src/deployers/stock/manifest/deployer.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { deploying, type Stage } from './deploying.ts'

const group = 'manifest.deployer.landscaper.gardener.cloud'
const label = `${group}/deployitem`
const itemAnnotation = 'deployers.carabiner.dev/item'

const configOf = (manifests: readonly unknown[], more: object = {}) => ({
  apiVersion: `${group}/v1alpha2`,
  kind: 'ProviderConfiguration',
  manifests: manifests.map((manifest) =>
    typeof manifest === 'object' && manifest !== null && 'manifest' in manifest ? manifest : { manifest },
  ),
  ...more,
})

const configMap = (name: string, data: Record<string, string> = { a: '1' }, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}
const thing = {
  apiVersion: 'example.org/v1',
  kind: 'Thing',
  metadata: { name: 'one', namespace: 'shop' },
  spec: { x: 1 },
}
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }
const deployment = (replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
})

const play = (scenario: (stage: Stage) => Promise<void>) => deploying(manifestDeployer, scenario)

const managed = (stage: Stage, name?: string) =>
  (
    (stage.item(name).status.providerStatus?.['managedResources'] ?? []) as {
      resource: { kind: string; name: string }
    }[]
  ).map(({ resource }) => `${resource.kind} ${resource.name}`)

const data = async ({ cluster }: Stage, name: string) =>
  (await cluster.get<never>(resources.configMaps, name).catch(() => ({ data: 'gone' })))['data']

describe('the manifest deployer', () => {
  it('applies definitions, then cluster-scoped, then namespaced objects, and records them in that order', () =>
    play(async (stage) => {
      expect(await stage.reconcile(configOf([thing, namespace, definition, configMap('b'), configMap('a')]))).toBe(
        'done',
      )
      expect(stage.written()).toEqual([
        'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions',
        'POST /api/v1/namespaces',
        'POST /api/v1/namespaces/default/configmaps',
        'POST /api/v1/namespaces/default/configmaps',
        'POST /apis/example.org/v1/namespaces/shop/things',
      ])
      expect(managed(stage)).toEqual([
        'CustomResourceDefinition things.example.org',
        'Namespace shop',
        'ConfigMap a',
        'ConfigMap b',
        'Thing one',
      ])
      const { metadata } = await stage.cluster.get(resources.configMaps, 'a')
      expect(metadata.labels).toEqual({ [label]: 'item' })
    }))

  it('records the objects before it creates the first one', () =>
    play(async (stage) => {
      await stage.reconcile(configOf([configMap('a')]))
      const [first] = stage.item().persisted
      expect(first?.['managedResources']).toEqual([
        { policy: 'manage', resource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' } },
      ])
    }))

  it('writes nothing when nothing changed', () =>
    play(async (stage) => {
      const config = configOf([configMap('a'), deployment(2), namespace, definition])
      expect(await stage.reconcile(config)).toBe('done')
      stage.written()
      const before = JSON.stringify(stage.item().status.providerStatus)
      expect(await stage.reconcile(config)).toBe('done')
      expect(stage.written()).toEqual([])
      expect(JSON.stringify(stage.item().status.providerStatus)).toBe(before)
    }))

  it.each(['update', 'patch', 'mergeOverwrite', 'serverSideApply'])(
    'reverts changes of other writers (%s)',
    (updateStrategy) =>
      play(async (stage) => {
        const config = configOf([deployment(2), configMap('a')], { updateStrategy, forceConflicts: true })
        expect(await stage.reconcile(config)).toBe('done')
        await stage.cluster.patch(resources.deployments, 'web', { spec: { replicas: 0 } })
        await stage.cluster.patch(resources.configMaps, 'a', {
          data: { a: '2' },
          metadata: { labels: { theirs: 'x' } },
        })
        await stage.cluster.sleep(10)
        stage.written()
        expect(await stage.reconcile(config)).toBe('done')
        expect(stage.written()).toHaveLength(2)
        expect(await stage.cluster.get(resources.deployments, 'web')).toMatchObject({ spec: { replicas: 2 } })
        expect(await stage.cluster.get(resources.configMaps, 'a')).toMatchObject({
          data: { a: '1' },
          metadata: { labels: { theirs: 'x', [label]: 'item' } },
        })
      }),
  )

  it('removes only fields it set before with strategy update', () =>
    play(async (stage) => {
      const annotated = configMap('a', { a: '1', b: '2' }, { annotations: { ours: 'x' }, labels: { mine: 'y' } })
      await stage.reconcile(configOf([annotated]))
      await stage.cluster.patch(resources.configMaps, 'a', { metadata: { annotations: { theirs: 'x' } } })
      expect(await stage.reconcile(configOf([configMap('a', { a: '1' })]))).toBe('done')
      const live = await stage.cluster.get<never>(resources.configMaps, 'a')
      expect([live['data'], (live['metadata'] as { annotations: unknown }).annotations]).toEqual([
        { a: '1' },
        { theirs: 'x', [itemAnnotation]: 'default/item' },
      ])
      expect((live['metadata'] as { labels: unknown }).labels).toEqual({ [label]: 'item' })
    }))

  it('[deployers P17] removes with strategy patch what the last manifest had, and nothing that others have set', () =>
    play(async (stage) => {
      const patch = { updateStrategy: 'patch' }
      const before = {
        ...deployment(2),
        metadata: { ...deployment(2).metadata, labels: { ours: 'x' }, annotations: { old: 'y' } },
      }
      await stage.reconcile(configOf([before, configMap('a', { a: '1', b: '2' })], patch))
      await stage.cluster.patch(resources.configMaps, 'a', { data: { theirs: '3' } })
      const { spec, ...rest } = deployment(2)
      const { replicas: _, ...withoutReplicas } = spec as unknown as { replicas: number }
      expect(
        await stage.reconcile(configOf([{ ...rest, spec: withoutReplicas }, configMap('a', { a: '1' })], patch)),
      ).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: '1', theirs: '3' })
      const live = await stage.cluster.get<never>(resources.deployments, 'web')
      expect((live['spec'] as { replicas: number }).replicas).toBe(1)
      const { labels, annotations } = live['metadata'] as { labels: object; annotations: object }
      expect(labels).not.toHaveProperty('ours')
      expect(annotations).not.toHaveProperty('old')
      // The strategy of the fields is not defaulting: what the server has added stays.
      expect(live['spec']).toHaveProperty('revisionHistoryLimit')
      stage.written()
      expect(
        await stage.reconcile(configOf([{ ...rest, spec: withoutReplicas }, configMap('a', { a: '1' })], patch)),
      ).toBe('done')
      expect(stage.written()).toEqual([])
    }))

  it('[deployers P17] records the names of fields and no values for strategy patch', () =>
    play(async (stage) => {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'planted' } }
      await stage.reconcile(configOf([secret], { updateStrategy: 'patch' }))
      const live = await stage.cluster.get<never>(resources.secrets, 's')
      expect(JSON.stringify(live['metadata'])).toContain('password')
      expect(JSON.stringify(live['metadata'])).not.toContain('planted')
    }))

  it('sets its mark of ownership with strategy merge, also on the object of another item', () =>
    play(async (stage) => {
      const merge = { updateStrategy: 'merge' }
      await stage.reconcile(configOf([configMap('a', { a: 'first' })], merge), 'first')
      await stage.reconcile(configOf([configMap('a', { b: 'second' })], merge), 'second')
      const { metadata } = await stage.cluster.get<never>(resources.configMaps, 'a')
      expect(metadata).toMatchObject({
        labels: { [label]: 'second' },
        annotations: { [itemAnnotation]: 'default/second' },
      })
      expect(await data(stage, 'a')).toEqual({ a: 'first', b: 'second' })
      // The first item does not delete what the second has adopted.
      expect(await stage.remove(configOf([configMap('a', { a: 'first' })], merge), 'first')).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: 'first', b: 'second' })
    }))

  it('adds only missing fields with strategy merge', () =>
    play(async (stage) => {
      await stage.cluster.create(resources.configMaps, configMap('a', { a: 'theirs' }))
      await stage.reconcile(configOf([configMap('a', { a: 'ours', b: 'new' })], { updateStrategy: 'merge' }))
      expect(await data(stage, 'a')).toEqual({ a: 'theirs', b: 'new' })
    }))

  it('keeps fields that a full update would lose', () =>
    play(async (stage) => {
      const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } }
      await stage.reconcile(configOf([service]))
      const before = await stage.cluster.get<never>(resources.services, 'web')
      const changed = { ...service, spec: { ports: [{ port: 81 }] } }
      expect(await stage.reconcile(configOf([changed]))).toBe('done')
      const after = await stage.cluster.get<never>(resources.services, 'web')
      expect((after['spec'] as { clusterIP: string }).clusterIP).toBe(
        (before['spec'] as { clusterIP: string }).clusterIP,
      )
      expect((after['spec'] as { ports: { port: number }[] }).ports[0]?.port).toBe(81)
    }))

  it('reports fields of other field managers with server-side apply', () =>
    play(async (stage) => {
      const { client } = stage.cluster
      const theirs = configMap('a', { a: 'theirs' }, { namespace: 'default' })
      await client.of(resources.configMaps).apply(theirs, { fieldManager: 'other' })
      const said = await stage.reconcile(configOf([configMap('a')], { updateStrategy: 'serverSideApply' }))
      expect(said).toMatch(/ERR_CONFIGURATION_PROBLEM ConfigMap .*a \(spec.config.manifests\[0\].manifest\).*\.data\.a/)
      expect(said).toContain('"other"')
      const forced = { updateStrategy: 'serverSideApply', forceConflicts: true }
      expect(await stage.reconcile(configOf([configMap('a')], forced))).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: '1' })
    }))

  it('expands lists and reads v1alpha1 of the configuration', () =>
    play(async (stage) => {
      const list = { apiVersion: 'v1', kind: 'List', items: [configMap('a'), configMap('b')] }
      const config = { apiVersion: `${group}/v1alpha1`, kind: 'ProviderConfiguration', manifests: [list] }
      expect(await stage.reconcile(config)).toBe('done')
      expect(managed(stage)).toEqual(['ConfigMap a', 'ConfigMap b'])
    }))
})

describe('policies', () => {
  const withPolicy = (policy: string, object: object = configMap('a')) => configOf([{ policy, manifest: object }])

  it('[deployers B8] fallback updates its own objects and keeps those of others', () =>
    play(async (stage) => {
      await stage.reconcile(withPolicy('fallback'))
      expect(await stage.reconcile(withPolicy('fallback', configMap('a', { a: '2' })))).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: '2' })
      expect(managed(stage)).toEqual(['ConfigMap a'])
      await stage.cluster.create(resources.configMaps, configMap('theirs', { a: 'x' }))
      expect(await stage.reconcile(withPolicy('fallback', configMap('theirs')))).toBe('done')
      expect(await data(stage, 'theirs')).toEqual({ a: 'x' })
      expect(managed(stage)).toEqual([])
      expect(await stage.remove(withPolicy('fallback'))).toBe('done')
      expect(await data(stage, 'theirs')).toEqual({ a: 'x' })
    }))

  it('keep updates the object but never deletes it', () =>
    play(async (stage) => {
      await stage.reconcile(withPolicy('keep'))
      await stage.reconcile(withPolicy('keep', configMap('a', { a: '2' })))
      expect(await data(stage, 'a')).toEqual({ a: '2' })
      expect(await stage.remove(withPolicy('keep'))).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: '2' })
      await stage.reconcile(withPolicy('keep'))
      await stage.reconcile(configOf([]))
      expect(await data(stage, 'a')).toEqual({ a: '1' })
    }))

  it('immutable creates and deletes the object but never updates it', () =>
    play(async (stage) => {
      await stage.reconcile(withPolicy('immutable'))
      expect(await stage.reconcile(withPolicy('immutable', configMap('a', { a: '2' })))).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: '1' })
      expect(await stage.remove(withPolicy('immutable'))).toBe('done')
      expect(await data(stage, 'a')).toBe('gone')
    }))

  it('ignore does not write, record or delete the object', () =>
    play(async (stage) => {
      expect(await stage.reconcile(withPolicy('ignore'))).toBe('done')
      expect([stage.written(), managed(stage)]).toEqual([[], []])
      await stage.reconcile(withPolicy('manage'))
      await stage.reconcile(withPolicy('ignore'))
      expect([await data(stage, 'a'), managed(stage)]).toEqual([{ a: '1' }, []])
    }))

  it('manage takes over an existing object, which the previous item then does not delete', () =>
    play(async (stage) => {
      await stage.reconcile(withPolicy('manage'), 'first')
      await stage.reconcile(withPolicy('manage', configMap('a', { a: '2' })), 'second')
      expect(await data(stage, 'a')).toEqual({ a: '2' })
      expect(await stage.remove(withPolicy('manage'), 'first')).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: '2' })
      expect(await stage.remove(withPolicy('manage'), 'second')).toBe('done')
      expect(await data(stage, 'a')).toBe('gone')
    }))

  it.each(['manage', 'fallback', 'immutable'] as const)(
    '%s distinguishes items of the same name in two namespaces',
    (policy) =>
      play(async (stage) => {
        await stage.reconcile(withPolicy('manage'), 'north/same')
        await stage.reconcile(withPolicy(policy, configMap('a', { a: '2' })), 'south/same')
        const isTaken = policy === 'manage'
        expect(await data(stage, 'a')).toEqual({ a: isTaken ? '2' : '1' })
        const [other, owner] = isTaken ? ['north/same', 'south/same'] : ['south/same', 'north/same']
        expect(await stage.remove(withPolicy(policy), other)).toBe('done')
        expect(await data(stage, 'a')).not.toBe('gone')
        expect(await stage.remove(withPolicy('manage'), owner)).toBe('done')
        expect(await data(stage, 'a')).toBe('gone')
      }),
  )

  it('manage keeps objects that an item of the same name applied unchanged', () =>
    play(async (stage) => {
      for (const name of ['north/same', 'south/same']) await stage.reconcile(withPolicy('manage'), name)
      expect(await stage.remove(withPolicy('manage'), 'north/same')).toBe('done')
      expect(await data(stage, 'a')).toEqual({ a: '1' })
    }))
})

describe('orphans and deletion', () => {
  const held = configMap('held', { a: '1' }, { finalizers: ['example.org/hold'] })
  const release = (stage: Stage, name = 'held') =>
    stage.cluster.patch(resources.configMaps, name, { metadata: { finalizers: null } })

  it('[deployers B9] orphans stay recorded until they are deleted, also after a failed apply', () =>
    play(async (stage) => {
      await stage.reconcile(configOf([held, configMap('a')]))
      const bad = configMap('b', { a: '1' }, { namespace: 'nowhere' })
      expect(await stage.reconcile(configOf([configMap('a'), bad]))).toContain('namespaces "nowhere" not found')
      expect(managed(stage)).toEqual(['ConfigMap a', 'ConfigMap held'])
      const said = await stage.reconcile(configOf([configMap('a')], { deleteTimeout: '10s' }))
      expect(said).toBe(
        'ERR_CLEANUP orphans still exist after 10 s: ConfigMap default/held (finalizers example.org/hold)',
      )
      expect(managed(stage)).toEqual(['ConfigMap a', 'ConfigMap held'])
      await release(stage)
      expect(await stage.reconcile(configOf([configMap('a')]))).toBe('done')
      expect(managed(stage)).toEqual(['ConfigMap a'])
    }))

  it('deletes namespaced objects, then cluster-scoped objects, then definitions', () =>
    play(async (stage) => {
      const config = configOf([definition, namespace, thing, configMap('a')])
      await stage.reconcile(config)
      stage.written()
      expect(await stage.remove(config)).toBe('done')
      expect(stage.written()).toEqual([
        'DELETE /apis/example.org/v1/namespaces/shop/things/one',
        'DELETE /api/v1/namespaces/default/configmaps/a',
        'DELETE /api/v1/namespaces/shop',
        'DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.org',
      ])
    }))

  it('waits until a group is deleted before it deletes the next', () =>
    play(async (stage) => {
      const config = configOf([held, namespace])
      await stage.reconcile(config)
      expect((await stage.removeOnce(config))?.unfinished).toBe(true)
      await stage.removeOnce(config)
      expect(stage.item().status.providerStatus?.['waitingFor']).toEqual(['ConfigMap default/held', 'Namespace shop'])
      expect((await stage.cluster.get(resources.namespaces, 'shop')).metadata.deletionTimestamp).toBeUndefined()
      await release(stage)
      expect(await stage.remove(config)).toBe('done')
      await expect(stage.cluster.get(resources.namespaces, 'shop')).rejects.toThrow('not found')
    }))

  it('deletes by custom groups and removes finalizers on request', () =>
    play(async (stage) => {
      const custom = { resources: [{ apiVersion: 'v1', kind: 'ConfigMap', names: ['held'] }], forceDelete: true }
      const config = configOf([held, configMap('a'), namespace], {
        deletionGroups: [
          { customResourceGroup: custom },
          { predefinedResourceGroup: { type: 'cluster-scoped-resources' } },
        ],
      })
      await stage.reconcile(config)
      expect(await stage.remove(config)).toBe('done')
      expect([await data(stage, 'held'), await data(stage, 'a')]).toEqual(['gone', { a: '1' }])
    }))

  it('deletes all objects a group selects on request', () =>
    play(async (stage) => {
      await stage.cluster.create(resources.configMaps, configMap('theirs'))
      const all = { resources: [{ apiVersion: 'v1', kind: 'ConfigMap', namespaces: ['default'], names: ['theirs'] }] }
      const config = configOf([configMap('a')], {
        deletionGroups: [{ customResourceGroup: { ...all, deleteAllResources: true } }],
      })
      await stage.reconcile(config)
      expect(await stage.remove(config)).toBe('done')
      expect(await data(stage, 'theirs')).toBe('gone')
    }))

  it('[deployers B15] deletes with a configuration that became invalid, and finishes when nothing is recorded', () =>
    play(async (stage) => {
      expect(await stage.remove(undefined)).toBe('done')
      await stage.reconcile(configOf([configMap('a')]))
      expect(await stage.remove({ apiVersion: 'nonsense', kind: 'x' })).toBe('done')
      expect(await data(stage, 'a')).toBe('gone')
    }))
})

describe('bad input', () => {
  const v2 = `${group}/v1alpha2`
  it.each<[string, unknown, string]>([
    ['no configuration', undefined, 'spec.config is missing'],
    ['another version', { apiVersion: 'v1', kind: 'ProviderConfiguration' }, 'spec.config.apiVersion is "v1"'],
    ['another kind', { apiVersion: v2, kind: 'Other' }, 'spec.config.kind is "Other"'],
    [
      'manifests of the wrong type',
      { ...configOf([]), manifests: 'x' },
      'spec.config.manifests: Invalid value: "string"',
    ],
    ['a bad policy', configOf([{ policy: 'maybe', manifest: configMap('a') }]), 'spec.config.manifests[0].policy'],
    [
      'no kind',
      configOf([{ manifest: { apiVersion: 'v1', metadata: { name: 'a' } } }]),
      'manifests[0].manifest.kind is missing',
    ],
    ['no name', configOf([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }]), 'manifest.metadata.name is missing'],
    [
      'the same object twice',
      configOf([configMap('a'), configMap('a')]),
      'manifests[1].manifest describes ConfigMap a',
    ],
    ['a bad strategy', configOf([], { updateStrategy: 'hope' }), 'spec.config.updateStrategy'],
    ['a bad duration', configOf([], { deleteTimeout: 'soon' }), 'spec.config.deleteTimeout'],
    ['a bad schedule', configOf([], { continuousReconcile: { cron: 'x' } }), 'continuousReconcile.cron'],
    [
      'two schedules',
      configOf([], { continuousReconcile: { cron: '* * * * *', every: '1m' } }),
      'either cron or every, not both',
    ],
    [
      'an empty deletion group',
      configOf([], { deletionGroups: [{}] }),
      'spec.config.deletionGroups[0] needs exactly one',
    ],
    [
      'a bad path',
      configOf([], { exports: { exports: [{ key: 'a', jsonPath: '.a[' }] } }),
      'spec.config.exports.exports[0].jsonPath',
    ],
    [
      'a check without a selector',
      configOf([], {
        readinessChecks: { custom: [{ name: 'x', requirements: [{ jsonPath: 'a', operator: 'exists' }] }] },
      }),
      'readinessChecks.custom[0] has neither',
    ],
    [
      'an operator without meaning',
      configOf([], {
        readinessChecks: {
          custom: [
            {
              name: 'x',
              resourceSelector: [{ apiVersion: 'v1', kind: 'Pod', name: 'a' }],
              requirements: [{ jsonPath: 'a', operator: 'gt', values: [{ value: 1 }] }],
            },
          ],
        },
      }),
      'operator is "gt"',
    ],
  ])('%s fails the item and reports the field', async (_, config, problem) => {
    await play(async (stage) => {
      const said = await stage.reconcile(config)
      expect(said).toContain('ERR_CONFIGURATION_PROBLEM')
      expect(said).toContain(problem)
      expect(stage.written()).toEqual([])
    })
  })

  it('continues with the other objects when one is refused and reports it', () =>
    play(async (stage) => {
      const broken = { ...deployment(1), spec: { replicas: 1 } }
      const said = await stage.reconcile(configOf([broken, configMap('a')]))
      expect(said).toMatch(/^ERR_CONFIGURATION_PROBLEM Deployment default\/web \(spec.config.manifests\[0\].manifest\)/)
      expect([await data(stage, 'a'), managed(stage)]).toEqual([{ a: '1' }, ['ConfigMap a']])
    }))

  it('reports a kind that is not served', () =>
    play(async (stage) => {
      expect(await stage.reconcile(configOf([thing]))).toBe(
        'Thing shop/one (spec.config.manifests[0].manifest): The cluster serves no resource "Thing in example.org/v1".',
      )
    }))

  it('keeps the record of objects whose kind is temporarily not served', () =>
    play(async (stage) => {
      const config = configOf([namespace, thing, configMap('a')])
      await stage.cluster.create(resources.customResourceDefinitions, definition as never)
      await stage.cluster.sleep(5)
      expect(await stage.reconcile(config)).toBe('done')
      const all = managed(stage)
      const gone = { ...definition.spec.versions[0], served: false }
      const value = { spec: { versions: [gone, { ...gone, name: 'v2', served: true, storage: false }] } }
      await stage.cluster.client
        .of(resources.customResourceDefinitions)
        .patch(definition.metadata.name, { type: 'merge', value })
      await stage.cluster.sleep(5)
      stage.client.discovery.refresh()
      expect(await stage.reconcile(config)).toContain('The cluster serves no resource "Thing in example.org/v1"')
      expect(managed(stage).toSorted()).toEqual(all.toSorted())
    }))

  it('accepts one mebibyte and reports why more is refused', () =>
    play(async (stage) => {
      expect(await stage.reconcile(configOf([configMap('a', { a: 'x'.repeat(1024 * 1024 - 100) })]))).toBe('done')
      const said = await stage.reconcile(configOf([configMap('b', { a: 'x'.repeat(1024 * 1024 + 1) })]))
      expect(said).toMatch(/^ERR_CONFIGURATION_PROBLEM ConfigMap default\/b .*[Tt]oo/)
      expect(said.length).toBeLessThan(2000)
    }))
})
