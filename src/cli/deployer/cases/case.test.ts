import { describe, expect, it } from 'vitest'
import { readCase } from './case.ts'
import { differences } from './difference.ts'

describe('a test case of a deployer', () => {
  const item = { metadata: { name: 'a' }, spec: { type: 't' } }
  const whole = { name: 'n', deployer: 'd.mjs', given: { item }, expect: { phase: 'Failed' } }

  it('has a time limit of ten minutes by default', () => {
    expect(readCase(whole, 'a.case.yaml').within).toBe(600_000)
    expect(readCase({ ...whole, within: '90s' }, 'a.case.yaml').within).toBe(90_000)
  })

  it.each([
    [{ ...whole, expects: {} }, 'expects'],
    [{ ...whole, given: {} }, 'given.item: Required value'],
    [{ ...whole, given: { item: { spec: {} } } }, 'given.item.metadata: Required value'],
    [{ ...whole, expect: { objects: [{ kind: 'Pod' }] } }, 'expect.objects[0].apiVersion: Required value'],
    [{ ...whole, within: 'soon' }, 'within'],
  ])('is rejected as %j with file and field in the message', (document, field) => {
    expect(() => readCase(document, 'a.case.yaml')).toThrow('a.case.yaml: ')
    expect(() => readCase(document, 'a.case.yaml')).toThrow(field)
  })
})

describe('differences', () => {
  it('ignores additional fields', () => {
    expect(differences({ a: 1, b: { c: 'x' } }, { a: 1, b: { c: 'x', d: 2 }, e: 3 }, 'o')).toEqual([])
    expect(differences([{ a: 1 }], [{ a: 1, b: 2 }], 'o')).toEqual([])
  })

  it('lists path, expected and actual value', () => {
    expect(differences({ a: 1, b: { c: ['x', 'y'] } }, { a: 2, b: { c: ['x', 'z'] } }, 'o')).toEqual([
      'o.a: expected 1, found 2',
      'o.b.c[1]: expected "y", found "z"',
    ])
    expect(differences({ a: { b: 1 }, c: [1] }, { c: [1, 2] }, 'o')).toEqual([
      'o.a: expected {"b":1}, found nothing',
      'o.c: expected [1], found [1,2]',
    ])
  })
})
