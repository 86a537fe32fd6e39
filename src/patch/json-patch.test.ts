import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../runtime/json.ts'
import { PatchError } from './errors.ts'
import { applyJsonPatch } from './json-patch.ts'

interface Vector {
  readonly comment?: string
  readonly doc: Json
  readonly patch: Json
  readonly expected?: Json
  readonly error?: string
  readonly disabled?: boolean
}

const vectors = process.env['CARABINER_TEST_VECTORS']
const folder = vectors === undefined ? undefined : join(vectors, 'json-patch')

function failure(document: Json, patch: Json): PatchError {
  try {
    applyJsonPatch(document, patch)
  } catch (error) {
    if (error instanceof PatchError) return error
    throw error
  }
  throw new Error('the patch was applied')
}

describe('the public JSON Patch vectors', () => {
  if (folder === undefined || !existsSync(folder)) {
    it.skip('skipped: CARABINER_TEST_VECTORS names no folder with json-patch/*.json', () => {})
    return
  }
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const cases = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Vector[]
    for (const [index, vector] of cases.entries()) {
      if (vector.disabled === true) continue
      it(`${file} ${index} ${vector.comment ?? vector.error ?? ''}`, () => {
        const before = JSON.stringify(vector.doc)
        if (vector.error !== undefined) expect(failure(vector.doc, vector.patch)).toBeInstanceOf(PatchError)
        else expect(applyJsonPatch(vector.doc, vector.patch)).toEqual(vector.expected ?? vector.doc)
        expect(JSON.stringify(vector.doc)).toBe(before)
      })
    }
  }
})

describe('applyJsonPatch', () => {
  it('keeps untouched parts', () => {
    const document = { a: { deep: [1, 2] }, b: { c: { d: 1 }, e: [{}] } }
    const result = applyJsonPatch(document, [{ op: 'replace', path: '/b/c/d', value: 2 }]) as typeof document
    expect(result).toEqual({ a: { deep: [1, 2] }, b: { c: { d: 2 }, e: [{}] } })
    expect(result.a).toBe(document.a)
    expect(result.b.e).toBe(document.b.e)
    expect(document.b.c.d).toBe(1)
  })

  it('a change of a copy does not change the original', () => {
    const patch = [
      { op: 'add', path: '/a/x', value: 1 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/a/y', value: 2 },
      { op: 'add', path: '/b/z', value: 3 },
    ]
    expect(applyJsonPatch({ a: {} }, patch)).toEqual({ a: { x: 1, y: 2 }, b: { x: 1, z: 3 } })
    const whole = [
      { op: 'add', path: '/x', value: 1 },
      { op: 'copy', from: '', path: '/y' },
    ]
    expect(applyJsonPatch({}, whole)).toEqual({ x: 1, y: { x: 1 } })
  })

  it('never changes a value of the patch', () => {
    const value = { list: [1] }
    const patch = [
      { op: 'add', path: '/a', value },
      { op: 'add', path: '/b', value },
      { op: 'add', path: '/a/list/-', value: 2 },
    ]
    expect(applyJsonPatch({}, patch)).toEqual({ a: { list: [1, 2] }, b: { list: [1] } })
    expect(value).toEqual({ list: [1] })
  })

  it('treats __proto__ and constructor as plain keys', () => {
    const value = JSON.parse('{"polluted": true}') as Json
    const result = applyJsonPatch({}, [
      { op: 'add', path: '/__proto__', value },
      { op: 'add', path: '/constructor', value: { prototype: 1 } },
    ]) as Record<string, unknown>
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}')
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(failure({}, [{ op: 'add', path: '/__proto__/x', value: 1 }]).message).toContain('/__proto__ does not exist')
    expect(failure([], [{ op: 'test', path: '/length', value: 0 }]).message).toContain('not an array index')
  })

  it('applies thousands of operations to one list without copying it each time', () => {
    const patch = Array.from({ length: 20_000 }, (_, value) => ({ op: 'add', path: '/list/-', value }))
    expect((applyJsonPatch({ list: [] }, patch) as { list: number[] }).list).toHaveLength(20_000)
  })

  it('errors name the operation, the pointer and the value found', () => {
    const document = { a: { b: [1, 2] }, s: 'text' }
    const messages = [
      [{ op: 'remove', path: '/a/x/y' }],
      [
        { op: 'test', path: '/s', value: 'text' },
        { op: 'test', path: '/a/b/1', value: 3 },
      ],
      [{ op: 'add', path: '/a/b/5', value: 0 }],
      [{ op: 'replace', path: '/a/b/-', value: 0 }],
      [{ op: 'add', path: '/s/x', value: 0 }],
      [{ op: 'add', path: '/a/b/01', value: 0 }],
      [{ op: 'move', from: '/a', path: '/a/b/0' }],
      [{ op: 'remove', path: '' }],
    ].map((patch) => failure(document, patch).message)
    expect(messages).toEqual([
      'operation 0 (remove "/a/x/y"): /a/x does not exist',
      'operation 1 (test "/a/b/1"): expected 3, found 2',
      'operation 0 (add "/a/b/5"): index 5 is beyond the end of /a/b, which has 2 elements',
      'operation 0 (replace "/a/b/-"): /a/b has no element "-"',
      'operation 0 (add "/s/x"): /s is string, neither object nor array',
      'operation 0 (add "/a/b/01"): "01" in /a/b/01 is not an array index',
      'operation 0 (move from "/a" "/a/b/0"): /a cannot be moved into itself',
      'operation 0 (remove ""): the whole document cannot be removed',
    ])
    expect(failure(document, [{ op: 'remove', path: '/a/x' }])).toMatchObject({
      code: 'CRB_PATCH_FAILED',
      operation: 0,
      pointer: '/a/x',
    })
  })

  it('distinguishes a malformed patch from one that does not fit', () => {
    const malformed: readonly [Json, string][] = [
      [{}, 'a JSON patch is an array of operations, found {}'],
      [[null], 'operation 0: expected an object, found null'],
      [[{ path: '' }], 'operation 0: has no "op"'],
      [
        [{ op: 'spam', path: '' }],
        'operation 0: "op" must be one of add, remove, replace, move, copy, test; found "spam"',
      ],
      [[{ op: 'add', path: '/a' }], 'operation 0: add /a has no "value"'],
      [[{ op: 'remove' }], 'operation 0: has no "path"'],
      [[{ op: 'remove', path: 1 }], 'operation 0: "path" must be a string, found 1'],
      [
        [{ op: 'remove', path: 'a' }],
        'operation 0: "path" must be a JSON pointer: empty, or starting with "/"; found "a"',
      ],
      [[{ op: 'copy', path: '/a' }], 'operation 0: has no "from"'],
    ]
    for (const [patch, message] of malformed) {
      expect(failure({}, patch)).toMatchObject({ code: 'CRB_PATCH_MALFORMED', message })
    }
  })

  it('a replay ignores only a remove of a missing target', () => {
    const patch = [
      { op: 'remove', path: '/gone/deep' },
      { op: 'remove', path: '/list/7' },
      { op: 'add', path: '/a', value: 1 },
    ]
    expect(applyJsonPatch({ list: [] }, patch, { lenient: true })).toEqual({ list: [], a: 1 })
    expect(() => applyJsonPatch({}, [{ op: 'replace', path: '/a', value: 1 }], { lenient: true })).toThrow(PatchError)
    expect(() => applyJsonPatch({}, [{ op: 'test', path: '/a', value: 1 }], { lenient: true })).toThrow(PatchError)
    expect(() => applyJsonPatch([1], [{ op: 'remove', path: '/x' }], { lenient: true })).toThrow(PatchError)
  })
})
