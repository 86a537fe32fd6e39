import { describe, expect, it } from 'vitest'
import { readPatches } from './read.ts'

const read = (text: string) => readPatches(text, {})

describe('readPatches', () => {
  it('[addons P1] reads YAML documents and streams of JSON objects', () => {
    const yaml = `
operation: Create
object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}
---
operation: MergePatch
apiVersion: apps/v1
kind: Deployment
namespace: shop
name: web
subresource: /scale
ignoreMissingObject: true
mergePatch: {spec: {replicas: 3}}
---
`
    const expected = [
      {
        operation: 'Create',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } },
        ignoreHookError: false,
      },
      {
        operation: 'MergePatch',
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: 'shop',
        name: 'web',
        subresource: 'scale',
        ignoreMissingObject: true,
        mergePatch: { spec: { replicas: 3 } },
        ignoreHookError: false,
      },
    ]
    expect(read(yaml)).toEqual({ operations: expected, errors: [], warnings: [] })
    const json = expected.map((operation) => JSON.stringify(operation)).join('\n')
    expect(read(json)).toEqual({ operations: expected, errors: [], warnings: [] })
    expect(read('')).toEqual({ operations: [], errors: [], warnings: [] })
  })

  it('[addons P2] accepts objects and patches as strings', () => {
    const { operations, errors } = read(`
{"operation":"CreateOrUpdate","object":"apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}"}
{"operation":"MergePatch","kind":"Pod","name":"a","mergePatch":"metadata: {labels: {a: b}}"}
{"operation":"JSONPatch","kind":"Pod","name":"a","jsonPatch":"[{\\"op\\":\\"remove\\",\\"path\\":\\"/a\\"}]"}`)
    expect(errors).toEqual([])
    expect(operations).toMatchObject([
      { object: { kind: 'ConfigMap', metadata: { name: 'a' } } },
      { mergePatch: { metadata: { labels: { a: 'b' } } } },
      { jsonPatch: [{ op: 'remove' }] },
    ])
  })

  it('[addons Z9] accepts a JSON patch that begins with remove', () => {
    const { operations, errors } = read(`
operation: JSONPatch
kind: Pod
name: a
jsonPatch:
- {op: remove, path: /metadata/labels/a}
- {op: add, path: /metadata/labels/b, value: c}
`)
    expect(errors).toEqual([])
    expect(operations).toHaveLength(1)
  })

  it.each([
    [
      'one object each',
      '{"operation":"Delete","kind":"Pod","name":"a"}\n---\n{"operation":"Delete","kind":"Pod","name":"b"}\n',
    ],
    [
      'two objects',
      '---\n{"operation":"Delete","kind":"Pod","name":"a"}\n{"operation":"Delete",\n"kind":"Pod","name":"b"}\r\n--- \r\n',
    ],
    ['JSON and YAML', '{"operation":"Delete","kind":"Pod","name":"a"}\n---\noperation: Delete\nkind: Pod\nname: b\n'],
    [
      'a line of text',
      '{operation: Delete, kind: Pod, name: a}\n---\noperation: Delete\nkind: Pod\nname: b\nnote: |\n  ---\n',
    ],
  ])('[addons P1] reads documents separated by three dashes: %s', (_, text) => {
    const { operations, errors } = read(text)
    expect(errors).toEqual([])
    expect(operations).toMatchObject([{ name: 'a' }, { name: 'b' }])
  })

  it('[addons P1] takes numbers for names as they are written', () => {
    const names = (text: string) => {
      const { operations, errors } = read(text)
      expect(errors).toEqual([])
      return operations.map((operation) => 'name' in operation && [operation.namespace, operation.name])
    }
    const yaml =
      'operation: Delete\nkind: Pod\nnamespace: 2024\nname: 0123\n---\noperation: Delete\nkind: Pod\nname: 1.10\n'
    expect(names(yaml)).toEqual([
      ['2024', '0123'],
      [undefined, '1.10'],
    ])
    expect(
      names('&a {operation: Delete, kind: Pod, name: 0o17}\n---\n{operation: Delete, kind: Pod, <<: {name: 0017}}'),
    ).toEqual([
      [undefined, '0o17'],
      [undefined, '0017'],
    ])
    expect(
      names('{"operation":"Delete","kind":"Pod","namespace":5,"name":17}{"operation":"Delete","kind":"Pod","name":18}'),
    ).toEqual([
      ['5', '17'],
      [undefined, '18'],
    ])
    expect(read('{"operation":"Delete","kind":"Pod","name":1.5}{}').errors[0]).toMatch(/\[0\]\.name: must be a string/)
  })

  it('[addons P1] ignores what has no meaning, with a warning', () => {
    const object = '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}'
    const { operations, errors, warnings } = read(`
{operation: Create, namespace: shop, object: ${object}}
---
{operation: Create, namespace: other, ignoreMissingObject: true, object: ${object}}
---
{operation: Delete, kind: Pod, name: a, ignoreMissingObject: true, comment: x}
`)
    expect(errors).toEqual([])
    expect(operations).toMatchObject([
      { object: { metadata: { namespace: 'shop' } } },
      { operation: 'Create' },
      { name: 'a' },
    ])
    expect(warnings).toEqual([
      'KUBERNETES_PATCH_PATH[1].namespace: is ignored: write it to object.metadata.namespace',
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[1\]\.ignoreMissingObject: is not known and ignored/),
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[2\]\.comment: is not known and ignored/),
    ])
  })

  it('[addons P3] names all errors without quoting content', () => {
    const { operations, errors, warnings } = read(`
operation: Creat
---
operation: Create
object: {apiVersion: v1, kind: Secret, data: {password: aHVudGVy}}
---
operation: Create
object: "{ data: hunter2"
---
operation: Delete
kind: Pod
names: x
---
operation: JQPatch
kind: Pod
name: x
jqFilter: '.a |'
---
operation: JSONPatch
kind: Pod
name: x
jsonPatch: [{op: put, path: /a}]
---
kind: Pod
---
text
`)
    expect(operations.filter(({ operation }) => operation === 'JQPatch')).toEqual([])
    expect(errors.join('\n')).not.toMatch(/hunter2|aHVudGVy/)
    expect(errors).toEqual([
      expect.stringMatching(
        /^KUBERNETES_PATCH_PATH\[0\]\.operation: must be one of Create, .*, not "Creat" \(did you mean Create\?\)$/,
      ),
      'KUBERNETES_PATCH_PATH[1].object: has no metadata.name',
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[2\]\.object: is neither JSON nor YAML/),
      'KUBERNETES_PATCH_PATH[3].name: is required',
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[4\]\.jqFilter: is not a jq program/),
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[5\]\.jsonPatch: .*put/),
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[6\]\.operation: is required/),
      'KUBERNETES_PATCH_PATH[7]: must be an object, not "text"',
    ])
    expect(warnings).toEqual(['KUBERNETES_PATCH_PATH[3].names: is not known and ignored (did you mean name?)'])
  })

  it('[addons P3] names the line with invalid JSON without quoting it', () => {
    const first = '{"operation":"Delete","kind":"Pod","name":"a"}\n'
    expect(readPatches(`${first}{"operation":"Create","object":{"stringData":{"a":"hunter2`, {}).errors).toEqual([
      'KUBERNETES_PATCH_PATH: neither JSON nor YAML: line 2: Unfinished string at EOF',
    ])
    expect(readPatches('operation: Create\nobject: {apiVersion: v1, ki', {}).errors).toEqual([
      expect.stringMatching(/^KUBERNETES_PATCH_PATH: neither JSON nor YAML: line 2: unexpected end/),
    ])
  })
})
