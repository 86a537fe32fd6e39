import { describe, expect, it } from 'vitest'
import type { Json } from '../../../runtime/json.ts'
import { duplicateFields } from './duplicates.ts'

function search(text: string): readonly string[] {
  return duplicateFields(text, JSON.parse(text) as Json)
}

describe('duplicateFields', () => {
  it('reports duplicate members at any depth', () => {
    expect(search('{"a":1,"spec":{"list":[{"n":1},{"n":1,"x":{},"n":2}]},"a":2}')).toEqual([
      'duplicate field "spec.list[1].n"',
      'duplicate field "a"',
    ])
  })

  it('ignores strings that look like members', () => {
    expect(search('{ "a": "x\\",\\"a\\":1", "b": ["a", "a"], "c": {"a": "a"} }')).toEqual([])
  })

  it('compares member names after unescaping', () => {
    expect(search('{"a": 1, "\\u0061": 2}')).toEqual(['duplicate field "a"'])
  })
})
