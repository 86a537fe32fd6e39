import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../kube/object.ts'
import { updatedObject } from './strategy.ts'

type Thing = KubeObject & { readonly spec?: unknown; readonly status?: unknown; readonly secrets?: unknown }

const manager = 'carabiner/default/item'
const owner = { label: 'owner', value: 'item', item: 'default/item', fieldManager: manager }
const object = (kind: string, metadata: object, rest: object): Thing => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x', ...metadata },
  ...rest,
})

describe('strategy update', () => {
  it('replaces the content and keeps the fields the server wrote', () => {
    const live = object(
      'Thing',
      { uid: 'u', resourceVersion: '7', finalizers: ['f'] },
      { spec: { a: 1, b: 2 }, status: { s: 1 } },
    )
    expect(updatedObject('update', live, object('Thing', {}, { spec: { a: 3 } }), owner)).toEqual(
      object('Thing', { uid: 'u', resourceVersion: '7', finalizers: ['f'] }, { spec: { a: 3 }, status: { s: 1 } }),
    )
  })

  it('removes labels and annotations that only our field manager had set', () => {
    const fieldsV1 = { 'f:metadata': { 'f:labels': { 'f:ours': {} }, 'f:annotations': { '.': {}, 'f:old': {} } } }
    const managedFields = [
      { manager, operation: 'Update', fieldsV1 },
      { manager: 'other', operation: 'Update', fieldsV1: {} },
    ]
    const live = object(
      'Thing',
      { labels: { ours: '1', theirs: '2' }, annotations: { old: '1', revision: '3' }, managedFields },
      {},
    )
    const { labels, annotations } = updatedObject(
      'update',
      live,
      object('Thing', { labels: { new: '4' } }, {}),
      owner,
    ).metadata
    expect([labels, annotations]).toEqual([{ theirs: '2', new: '4' }, { revision: '3' }])
  })

  it.each<[string, object, object, object]>([
    [
      'Service',
      { spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [1] } },
      { spec: { clusterIP: '', ports: [2] } },
      { spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [2] } },
    ],
    [
      'Job',
      { spec: { selector: { matchLabels: { uid: '1' } }, template: { metadata: { labels: { uid: '1', a: 'old' } } } } },
      { spec: { template: { metadata: { labels: { a: 'new' } } } } },
      { spec: { selector: { matchLabels: { uid: '1' } }, template: { metadata: { labels: { uid: '1', a: 'new' } } } } },
    ],
    ['ServiceAccount', { secrets: [{ name: 's' }] }, {}, { secrets: [{ name: 's' }] }],
    [
      'PersistentVolumeClaim',
      { spec: { volumeName: 'v', storageClassName: 'fast' } },
      { spec: { storageClassName: 'fast' } },
      { spec: { volumeName: 'v', storageClassName: 'fast' } },
    ],
    ['Thing', { spec: { clusterIP: 'x' } }, { spec: {} }, { spec: {} }],
  ])('copies the server-set fields of a %s', (kind, live, manifest, expected) => {
    expect(updatedObject('update', object(kind, {}, live), object(kind, {}, manifest), owner)).toEqual(
      object(kind, {}, expected),
    )
  })
})

describe('the other strategies', () => {
  const live = object('Thing', { labels: { a: '1' } }, { spec: { list: [1, 2], a: 1, deep: { x: 1, y: 2 } } })
  const manifest = object('Thing', {}, { spec: { list: [3], a: 2, b: 3, deep: { x: 9, y: null } } })
  const specOf = (strategy: 'patch' | 'merge' | 'mergeOverwrite') =>
    (updatedObject(strategy, live, manifest, owner) as Thing).spec

  it('patch overwrites and removes what is null', () => {
    expect(specOf('patch')).toEqual({ list: [3], a: 2, b: 3, deep: { x: 9 } })
  })

  it('merge adds only', () => {
    expect(specOf('merge')).toEqual({ list: [1, 2], a: 1, b: 3, deep: { x: 1, y: 2 } })
  })

  it('mergeOverwrite adds and overwrites, and removes nothing', () => {
    expect(specOf('mergeOverwrite')).toEqual({ list: [3], a: 2, b: 3, deep: { x: 9, y: 2 } })
  })
})
