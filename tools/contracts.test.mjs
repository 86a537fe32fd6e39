import { describe, expect, it } from 'vitest'
import { contractIds } from './contracts/titles.mjs'

// Composed here, so that the ids of the examples do not count as proofs.
const id = (name) => `[${'rollouts'} ${name}]`
const found = (text) => contractIds('a.test.ts', text)
const proof = (key) => ({ key: `rollouts ${key}`, isTitle: true, isSkipped: false })

describe('contract ids of tests', () => {
  it('are read from titles, tables and scenarios', () => {
    expect(found(`it('${id('A1 B2')} holds', () => {})`)).toEqual([proof('A1'), proof('B2')])
    expect(found(`it.each([1])('${id('A1')} %s', () => {})`)).toEqual([proof('A1')])
    expect(found(`describe.each([['${id('A1')}']])('%s', () => {})`)).toEqual([proof('A1')])
    expect(found(`it.skipIf(isOld)(\`${id('A1')} \${name}\`, () => {})`)).toEqual([proof('A1')])
    expect(found(`const title = '${id('A1')}'\nit(title, () => {})`)).toEqual([proof('A1')])
    expect(found(`const rows = [['${id('A1')}', true]]\nit.each(rows)('%s', () => {})`)).toEqual([proof('A1')])
    expect(found(`const scenario = { title: '${id('A1')}', play }`)).toEqual([proof('A1')])
  })

  it('are not read from comments, and are no titles in other texts', () => {
    expect(found(`// ${id('A1')}\nit('holds', () => {})`)).toEqual([])
    expect(found(`it('holds', () => expect('${id('A1')}').toBe(text))`)).toEqual([{ ...proof('A1'), isTitle: false }])
  })

  it('are no proof where the test or a group around it is skipped', () => {
    const skipped = [{ ...proof('A1'), isSkipped: true }]
    expect(found(`it.skip('${id('A1')}', () => {})`)).toEqual(skipped)
    expect(found(`it.todo('${id('A1')}')`)).toEqual(skipped)
    expect(found(`it.skip.each([1])('${id('A1')}', () => {})`)).toEqual(skipped)
    expect(found(`describe.skip('all', () => { it('${id('A1')}', () => {}) })`)).toEqual(skipped)
    expect(found(`it('${id('A1')}', { skip: true }, () => {})`)).toEqual(skipped)
  })
})
