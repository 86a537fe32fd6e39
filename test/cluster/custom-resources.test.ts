/** Custom resources: from the definition to validation, defaults, pruning, subresources and columns. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { definitions, untilServed } from './definitions.ts'
import { onCluster } from './suite.ts'

const group = `w${process.pid}.example.com`

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wi'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Mode', type: 'string', jsonPath: '.spec.mode', priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 9 },
                  mode: { type: 'string', enum: ['fast', 'slow'], default: 'slow' },
                  port: { 'x-kubernetes-int-or-string': true },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  parts: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
                    },
                  },
                },
                'x-kubernetes-validations': [
                  { rule: "self.mode != 'fast' || self.size < 5", message: 'a fast widget is small' },
                  { rule: 'self.size >= oldSelf.size', message: 'size never shrinks' },
                ],
              },
              status: { type: 'object', properties: { size: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}

onCluster('custom resources', (cluster) => {
  let path = ''
  const widget = (name: string, spec: object) => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name },
    spec,
  })

  beforeAll(async () => {
    await cluster.create(definitions, definition)
    await untilServed(cluster, definition.metadata.name)
    path = `/apis/${group}/v1/namespaces/${await cluster.namespace()}/widgets`
  })
  afterAll(async () => {
    await cluster.call('DELETE', `${definitions}/${definition.metadata.name}`)
  })

  it('is discovered with its names and subresources', async () => {
    const found = (await cluster.call('GET', `/apis/${group}/v1`)).body as unknown as {
      resources: { name: string; kind: string }[]
    }
    expect(found.resources.map(({ name }) => name).sort()).toEqual(['widgets', 'widgets/scale', 'widgets/status'])
    expect(found.resources.find(({ name }) => name === 'widgets')).toMatchObject({
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      shortNames: ['wi'],
      categories: ['all'],
    })
  })

  it('sets defaults and drops unknown fields', async () => {
    const created = await cluster.create(
      path,
      widget('a', { size: 1, unknown: true, free: { any: 1 }, parts: [{ name: 'x' }] }),
    )
    expect(created.spec).toEqual({ size: 1, mode: 'slow', free: { any: 1 }, parts: [{ name: 'x', count: 1 }] })
  })

  it.each([
    ['a missing field', {}, 'spec.size: Required value'],
    [
      'a wrong type',
      { size: 'big' },
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
    [
      'a number out of range',
      { size: 10 },
      'spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
    ],
    [
      'a value not listed',
      { size: 1, mode: 'odd' },
      'spec.mode: Unsupported value: "odd": supported values: "fast", "slow"',
    ],
    [
      'a duplicate key',
      { size: 1, parts: [{ name: 'x' }, { name: 'x' }] },
      'spec.parts[1]: Duplicate value: {"name":"x"}',
    ],
    ['a broken rule', { size: 6, mode: 'fast' }, 'a fast widget is small'],
  ])('refuses %s', async (_, spec, message) => {
    const refused = await cluster.call('POST', path, { body: widget('bad', spec) })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toContain(`Widget.${group} "bad" is invalid: `)
    expect(refused.body.message).toContain(message)
  })

  it('accepts int-or-string as either', async () => {
    expect((await cluster.create(path, widget('port-number', { size: 1, port: 80 }))).spec['port']).toBe(80)
    expect((await cluster.create(path, widget('port-name', { size: 1, port: 'http' }))).spec['port']).toBe('http')
    expect((await cluster.call('POST', path, { body: widget('port-bad', { size: 1, port: true }) })).status).toBe(422)
  })

  it('validates transition rules', async () => {
    const created = await cluster.create(path, widget('grow', { size: 3 }))
    const shrunk = await cluster.call('PUT', `${path}/grow`, {
      body: { ...created, spec: { ...created.spec, size: 2 } },
    })
    expect(shrunk.status).toBe(422)
    expect(shrunk.body.message).toContain('size never shrinks')
  })

  it('separates status from spec', async () => {
    const created = await cluster.create(path, { ...widget('two', { size: 2 }), status: { size: 7 } })
    expect(created.status).toBeUndefined()
    const body = { ...created, spec: { size: 3 }, status: { size: 2 } }
    const reported = await cluster.call('PUT', `${path}/two/status`, { body })
    expect(reported.body).toMatchObject({ spec: { size: 2 }, status: { size: 2 }, metadata: { generation: 1 } })
    const respecified = await cluster.call('PUT', `${path}/two`, {
      body: { ...reported.body, spec: { size: 4 }, status: { size: 9 } },
    })
    expect(respecified.body).toMatchObject({ spec: { size: 4 }, status: { size: 2 }, metadata: { generation: 2 } })
  })

  it('supports the scale subresource', async () => {
    await cluster.create(path, widget('scaled', { size: 2 }))
    const scale = await cluster.call('GET', `${path}/scaled/scale`)
    expect(scale.body).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 } })
    const changed = await cluster.call('PUT', `${path}/scaled/scale`, {
      body: { ...scale.body, spec: { replicas: 5 } },
    })
    expect(changed.status).toBe(200)
    expect((await cluster.call('GET', `${path}/scaled`)).body.spec['size']).toBe(5)
  })

  it('has printer columns', async () => {
    await cluster.create(path, {
      ...widget('shown', { size: 2 }),
      metadata: { name: 'shown', labels: { shown: 'yes' } },
    })
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
    const answer = await cluster.call('GET', `${path}?labelSelector=shown`, { headers })
    const table = answer.body as unknown as {
      columnDefinitions: { name: string; priority: number }[]
      rows: { cells: unknown[] }[]
    }
    expect(table.columnDefinitions.map(({ name, priority }) => [name, priority])).toEqual([
      ['Name', 0],
      ['Size', 0],
      ['Mode', 1],
    ])
    expect(table.rows.map(({ cells }) => cells)).toEqual([['shown', 2, 'slow']])
  })

  it('merges lists by their keys when applied', async () => {
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const apply = (manager: string, parts: object[]) =>
      cluster.call('PATCH', `${path}/applied?fieldManager=${manager}`, {
        headers,
        body: widget('applied', { size: 1, parts }),
      })
    await apply('one', [{ name: 'x', count: 2 }])
    const both = await apply('two', [{ name: 'y', count: 3 }])
    expect(both.body.spec['parts']).toEqual([
      { name: 'x', count: 2 },
      { name: 'y', count: 3 },
    ])
  })

  it('reports what is wrong with a definition', async () => {
    const bad = structuredClone(definition)
    bad.metadata.name = `other.${group}`
    const refused = await cluster.call('POST', definitions, { body: bad })
    expect(refused.status).toBe(422)
    expect(refused.body.message).toContain(
      `metadata.name: Invalid value: "other.${group}": must be spec.names.plural+"."+spec.group`,
    )
  })
})
