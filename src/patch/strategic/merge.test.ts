import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../runtime/json.ts'
import { PatchError } from '../errors.ts'
import { anyFields, type MergeLookup, mergeTable } from './lookup.ts'
import { applyStrategicMergePatch } from './merge.ts'
// Documents, patches and results recorded from the implementation in Kubernetes 1.36, on pods.
import vectors from './vectors.generated.json' with { type: 'json' }

const pod = mergeTable({
  'metadata.finalizers': { strategy: 'merge' },
  'spec.containers': { strategy: 'merge', mergeKey: 'name' },
  'spec.containers.env': { strategy: 'merge', mergeKey: 'name' },
  'spec.containers.ports': { strategy: 'merge', mergeKey: 'containerPort' },
  'spec.volumes': { strategy: 'merge', mergeKey: 'name' },
  'spec.atomic': { strategy: 'replace' },
})

function apply(document: JsonObject, patch: Json, lookup: MergeLookup = pod): JsonObject {
  const before = JSON.stringify([document, patch])
  try {
    return applyStrategicMergePatch(document, patch, lookup)
  } finally {
    expect(JSON.stringify([document, patch])).toBe(before)
  }
}

function failure(document: JsonObject, patch: Json, lookup?: MergeLookup): string {
  try {
    apply(document, patch, lookup)
  } catch (error) {
    if (error instanceof PatchError) return error.message
    throw error
  }
  throw new Error('the patch was applied')
}

describe('recorded patches', () => {
  for (const [index, vector] of (
    vectors as readonly { document: JsonObject; patch: Json; expected?: Json }[]
  ).entries()) {
    it(`number ${index} has the recorded ${vector.expected === undefined ? 'failure' : 'result'}`, () => {
      if (vector.expected === undefined)
        expect(failure(vector.document, vector.patch)).toContain('strategic merge patch at')
      else expect(apply(vector.document, vector.patch)).toEqual(vector.expected)
    })
  }
})

describe('applyStrategicMergePatch', () => {
  const document = {
    metadata: { labels: { a: '1' }, finalizers: ['x', 'y'] },
    spec: {
      containers: [
        { name: 'web', image: 'web:1', args: ['-v'], env: [{ name: 'A', value: '1' }] },
        { name: 'sidecar', image: 'proxy:1' },
      ],
      tolerations: [{ key: 'a' }],
    },
  }

  it('merges lists by their merge key and keeps untouched parts', () => {
    const result = apply(document, {
      spec: { containers: [{ name: 'web', image: 'web:2', env: [{ name: 'B', value: '2' }] }] },
    }) as typeof document
    expect(result.spec.containers).toEqual([
      {
        name: 'web',
        image: 'web:2',
        args: ['-v'],
        env: [
          { name: 'B', value: '2' },
          { name: 'A', value: '1' },
        ],
      },
      { name: 'sidecar', image: 'proxy:1' },
    ])
    expect(result.metadata).toBe(document.metadata)
    expect(result.spec.containers[1]).toBe(document.spec.containers[1])
    expect(result.spec.tolerations).toBe(document.spec.tolerations)
  })

  it('returns the document itself when nothing changes', () => {
    const patch = {
      metadata: { labels: { a: '1', gone: null }, finalizers: ['x', 'y'] },
      spec: { containers: [{ name: 'web' }] },
    }
    expect(apply({ ...document, spec: { ...document.spec, containers: [{ name: 'web' }] } }, {})).toEqual({
      ...document,
      spec: { ...document.spec, containers: [{ name: 'web' }] },
    })
    expect(apply(document, { metadata: patch.metadata })).toBe(document)
  })

  it('replaces lists without a strategy and objects with strategy replace', () => {
    expect(apply(document, { spec: { tolerations: [{ key: 'b' }] } })).toMatchObject({
      spec: { tolerations: [{ key: 'b' }] },
    })
    expect(apply({ spec: { atomic: { a: 1 } } }, { spec: { atomic: { b: 2 } } })).toEqual({
      spec: { atomic: { b: 2 } },
    })
  })

  it('applies $patch on objects and on elements', () => {
    expect(apply(document, { metadata: { labels: { $patch: 'replace', b: '2' } } })).toMatchObject({
      metadata: { labels: { b: '2' } },
    })
    expect(apply({ a: { b: 1 } }, { a: { $patch: 'delete' } }, anyFields)).toEqual({ a: {} })
    const deleted = apply(document, { spec: { containers: [{ name: 'web', $patch: 'delete' }] } }) as typeof document
    expect(deleted.spec.containers.map(({ name }) => name)).toEqual(['sidecar'])
    const replaced = apply(document, {
      spec: { containers: [{ $patch: 'replace' }, { name: 'new' }] },
    }) as typeof document
    expect(replaced.spec.containers).toEqual([{ name: 'new' }])
  })

  it('removes scalars from lists, orders lists, and keeps only the keys in $retainKeys', () => {
    expect(apply(document, { metadata: { '$deleteFromPrimitiveList/finalizers': ['x'] } })).toMatchObject({
      metadata: { finalizers: ['y'] },
    })
    const ordered = apply(document, {
      spec: {
        '$setElementOrder/containers': [{ name: 'sidecar' }, { name: 'new' }, { name: 'web' }],
        containers: [{ name: 'new' }],
      },
    }) as typeof document
    expect(ordered.spec.containers.map(({ name }) => name)).toEqual(['sidecar', 'new', 'web'])
    const volumes = { spec: { volumes: [{ name: 'data', emptyDir: {} }] } }
    const patch = { spec: { volumes: [{ name: 'data', hostPath: { path: '/' }, $retainKeys: ['name', 'hostPath'] }] } }
    expect(apply(volumes, patch)).toEqual({ spec: { volumes: [{ name: 'data', hostPath: { path: '/' } }] } })
  })

  it('keeps the position of a container added by a webhook when another one is replaced', () => {
    const injected = { spec: { containers: [{ name: 'a' }, { name: 'injected' }, { name: 'old' }] } }
    const patch = {
      spec: {
        '$setElementOrder/containers': [{ name: 'a' }, { name: 'new' }],
        containers: [{ name: 'new' }, { name: 'old', $patch: 'delete' }],
      },
    }
    const result = apply(injected, patch) as typeof injected
    expect(result.spec.containers.map(({ name }) => name)).toEqual(['a', 'injected', 'new'])
  })

  it('treats __proto__ as a plain key', () => {
    const patch = JSON.parse('{"__proto__": {"polluted": 1}, "a": {"constructor": {"x": 1}}}') as Json
    const result = apply({ a: {} }, patch, anyFields)
    expect(JSON.stringify(result)).toBe('{"a":{"constructor":{"x":1}},"__proto__":{"polluted":1}}')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('errors name the position and the problem', () => {
    const containers = (...elements: Json[]): Json => ({ spec: { containers: elements } })
    expect(failure(document, [])).toBe('strategic merge patch at the document: the patch must be an object, found []')
    expect(failure(document, containers({ image: 'x' }))).toBe(
      'strategic merge patch at /spec/containers: element {"image":"x"} does not contain the merge key "name"',
    )
    expect(failure(document, { metadata: { $patch: 'explode' } })).toBe(
      'strategic merge patch at /metadata: unknown $patch "explode"; expected replace or delete',
    )
    expect(failure(document, containers('web'))).toContain('list element types are not identical: object and string')
    expect(failure(document, { metadata: { $retainKeys: ['labels'], finalizers: [] } })).toContain('not in $retainKeys')
    expect(failure(document, { metadata: { '$setElementOrder/finalizers': 'x' } })).toContain('expected a list')
    const strict: MergeLookup = { field: () => undefined }
    expect(failure({ a: { b: 1 } }, { a: { c: 2 } }, strict)).toBe(
      'strategic merge patch at the document: unable to find api field "a"',
    )
  })
})
