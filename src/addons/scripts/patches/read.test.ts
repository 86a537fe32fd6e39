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
    expect(read(yaml)).toEqual({ operations: expected, errors: [] })
    const json = expected.map((operation) => JSON.stringify(operation)).join('\n')
    expect(read(json)).toEqual({ operations: expected, errors: [] })
    expect(read('')).toEqual({ operations: [], errors: [] })
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

  it('[addons P3] names all errors without quoting content', () => {
    const { operations, errors } = read(`
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
      'KUBERNETES_PATCH_PATH[3].names: is not known (did you mean name?)',
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[4\]\.jqFilter: is not a jq program/),
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[5\]\.jsonPatch: .*put/),
      expect.stringMatching(/^KUBERNETES_PATCH_PATH\[6\]\.operation: is required/),
      'KUBERNETES_PATCH_PATH[7]: must be an object, not "text"',
    ])
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
