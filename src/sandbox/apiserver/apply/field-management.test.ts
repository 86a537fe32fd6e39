import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../runtime/json.ts'
import { type ApiObject, at } from '../object.ts'
import type { ServedResource } from '../resource.ts'
import { StatusError } from '../status/status-error.ts'
import { Decoder } from '../types/decode.ts'
import { typeModel } from '../types/model.ts'
import { KindSchemas } from '../types/schemas.ts'
import { fieldManagement } from './field-management.ts'

const schemas = new KindSchemas(typeModel())
const now = Date.UTC(2030, 0, 1)

function served(group: string, version: string, kind: string, hasStatus: boolean): ServedResource {
  return {
    group,
    version,
    kind,
    subresources: hasStatus ? [{ name: 'status' }] : [],
    strategy: {
      schema: schemas.ofKind(group, version, kind),
      decode: (body: JsonObject) => new Decoder(typeModel()).decode(body, { group, version, kind }),
    },
  } as unknown as ServedResource
}

const configMaps = served('', 'v1', 'ConfigMap', false)
const deployments = served('apps', 'v1', 'Deployment', true)

function configMap(data: Record<string, string> | undefined, metadata: JsonObject = {}): ApiObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, ...(data && { data }) }
}

function apply(live: ApiObject | undefined, applied: JsonObject, manager: string, force = false): ApiObject {
  const resource = applied['kind'] === 'Deployment' ? deployments : configMaps
  return fieldManagement.apply({ resource, manager, subresource: '', now, applied, live, force })
}

function update(old: ApiObject | undefined, object: ApiObject, manager: string, subresource = ''): ApiObject {
  const resource = object.kind === 'Deployment' ? deployments : configMaps
  return fieldManagement.update({ resource, manager, subresource, now, object, old })
}

function owners(object: ApiObject): JsonObject {
  return Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [
      `${entry.manager} ${entry.operation}${entry.subresource ? ` ${entry.subresource}` : ''}`,
      entry.fieldsV1 ?? {},
    ]),
  )
}

function failure(act: () => unknown): StatusError {
  try {
    act()
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('apply', () => {
  it('owns exactly the fields of the configuration', () => {
    const created = apply(undefined, configMap({ x: '1', y: '2' }, { labels: { l: '1' } }), 'one')
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '2030-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {}, 'f:y': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } },
      },
    ])
  })

  it('reports a single conflict in one sentence', () => {
    const live = apply(undefined, configMap({ x: '1' }), 'one')
    const error = failure(() => apply(live, configMap({ x: '2' }), 'two'))
    expect(error.code).toBe(409)
    expect(error.message).toBe('Apply failed with 1 conflict: conflict with "one": .data.x')
    expect(error.details?.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' },
    ])
  })

  it('reports the API version of the update it conflicts with', () => {
    const live = update(undefined, configMap({ x: '1', y: '1' }), 'kubectl')
    const error = failure(() => apply(live, configMap({ x: '2', y: '2' }), 'two'))
    expect(error.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "kubectl" using v1:\n- .data.x\n- .data.y',
    )
  })

  it('takes ownership of a conflicting field with force and leaves the other fields to their manager', () => {
    const live = apply(undefined, configMap({ x: '1', y: '2' }), 'one')
    const forced = apply(live, configMap({ x: '3' }), 'two', true)
    expect(forced['data']).toEqual({ x: '3', y: '2' })
    expect(owners(forced)).toEqual({
      'one Apply': { 'f:data': { 'f:y': {} } },
      'two Apply': { 'f:data': { 'f:x': {} } },
    })
  })

  it('removes fields that left the configuration unless another manager owns them', () => {
    const one = apply(undefined, configMap({ x: '1', y: '2' }), 'one')
    const two = apply(one, configMap({ y: '2' }), 'two')
    const less = apply(two, configMap(undefined), 'one')
    expect(less['data']).toEqual({ y: '2' })
    expect(owners(less)).toEqual({ 'two Apply': { 'f:data': { 'f:y': {} } } })
  })

  it('assigns fields without a manager to before-first-apply', () => {
    const live = configMap({ x: '1' })
    expect(owners(apply(live, configMap({ y: '2' }), 'one'))).toEqual({
      'one Apply': { 'f:data': { 'f:y': {} } },
      'before-first-apply Update': { 'f:data': { '.': {}, 'f:x': {} } },
    })
  })

  it('returns the live object itself when nothing changes', () => {
    const live = apply(undefined, configMap({ x: '1' }), 'one')
    expect(apply(live, configMap({ x: '1' }), 'one')).toBe(live)
  })

  it('refuses unknown fields and list items with duplicate keys', () => {
    expect(failure(() => apply(undefined, { ...configMap({}), foo: 1 }, 'one')).message).toBe(
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .foo: field not declared in schema',
    )
    const containers = [{ name: 'x' }, { name: 'x' }]
    expect(failure(() => apply(undefined, deployment({ containers }), 'one')).message).toBe(
      'failed to create typed patch object (/b; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="x"]',
    )
  })

  it('merges lists by key and fills an absent key with its default', () => {
    const live = apply(
      undefined,
      deployment({ containers: [{ name: 'x', image: 'i', ports: [{ containerPort: 80 }] }] }),
      'one',
    )
    const both = apply(live, deployment({ containers: [{ name: 'side', image: 's' }] }), 'two')
    expect(at(both, 'spec', 'template', 'spec', 'containers')).toEqual([
      { name: 'x', image: 'i', ports: [{ containerPort: 80 }] },
      { name: 'side', image: 's' },
    ])
    expect(owners(both)['one Apply']).toMatchObject({
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': {
              'k:{"name":"x"}': {
                '.': {},
                'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
              },
            },
          },
        },
      },
    })
  })

  it('lets kubectl take over the fields of its client-side apply', () => {
    const config = configMap({ x: '1' })
    const annotation = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(config) }
    const live = update(undefined, configMap({ x: '1' }, { annotations: annotation }), 'kubectl-client-side-apply')
    const applied = apply(live, configMap({ x: '2' }), 'kubectl')
    expect(applied['data']).toEqual({ x: '2' })
    expect(
      JSON.parse(applied.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? ''),
    ).toEqual(configMap({ x: '2' }))
  })
})

function deployment(podSpec: JsonObject): ApiObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'b' },
    spec: { selector: { matchLabels: { app: 'b' } }, template: { spec: podSpec } },
  }
}

describe('update', () => {
  it('takes changed fields from all other managers', () => {
    const live = apply(undefined, configMap({ x: '1', y: '2' }), 'one')
    const changed = update(live, { ...live, data: { x: '9', y: '2' } }, 'edit')
    expect(owners(changed)).toEqual({
      'one Apply': { 'f:data': { 'f:y': {} } },
      'edit Update': { 'f:data': { 'f:x': {} } },
    })
  })

  it('records writes through a subresource in an entry of their own and ignores fields it cannot change', () => {
    const live = update(undefined, deployment({ containers: [] }), 'kubectl')
    const status = update(live, { ...live, spec: { replicas: 9 }, status: { replicas: 1 } }, 'manager', 'status')
    expect(owners(status)['manager Update status']).toEqual({ 'f:status': { '.': {}, 'f:replicas': {} } })
  })

  it('clears ownership when managedFields are reset', () => {
    const live = update(undefined, configMap({ x: '1' }), 'one')
    const reset = update(live, { ...live, metadata: { ...live.metadata, managedFields: [{}] } }, 'two')
    expect(reset.metadata.managedFields).toBeUndefined()
  })

  it('keeps managedFields when a client sends none', () => {
    const live = update(undefined, configMap({ x: '1' }), 'one')
    const { managedFields: _dropped, ...metadata } = live.metadata
    const same = update(live, { ...live, metadata }, 'two')
    expect(same.metadata.managedFields).toEqual(live.metadata.managedFields)
  })

  it('merges the oldest of more than ten update managers into ancient-changes', () => {
    let live = update(undefined, configMap({ k: '0' }), 'writer-0')
    for (let index = 1; index <= 12; index++) {
      live = fieldManagement.update({
        resource: configMaps,
        manager: `writer-${index}`,
        subresource: '',
        now: now + index * 1000,
        object: { ...live, data: { ...(live['data'] as JsonObject), [`k${index}`]: '1' } },
        old: live,
      })
    }
    const names = live.metadata.managedFields?.map(({ manager }) => manager)
    expect(names).toHaveLength(10)
    expect(names?.[0]).toBe('ancient-changes')
  })
})
