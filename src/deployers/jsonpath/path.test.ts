import { describe, expect, it } from 'vitest'
import { StepBudget } from './budget.ts'
import { compileJsonPath } from './path.ts'

const document = {
  metadata: { name: 'web', annotations: { 'example.org/url': 'http://web', plain: 'x' } },
  spec: {
    ports: [
      { name: 'http', port: 80 },
      { name: 'https', port: 443 },
      { name: 'metrics', port: 9090, target: 9090 },
    ],
  },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', since: 3 },
      { type: 'Stalled', status: 'False', since: 5 },
    ],
    nothing: null,
  },
  matrix: [[1, 2], [3]],
}

const found = (path: string) => compileJsonPath(path).find(document)

describe('compileJsonPath', () => {
  it.each<[string, unknown[]]>([
    ['.metadata.name', ['web']],
    ['metadata.name', ['web']],
    ['{.metadata.name}', ['web']],
    ['$.metadata.name', ['web']],
    ["['metadata']['name']", ['web']],
    ['.metadata["name"]', ['web']],
    ['.metadata.annotations.example\\.org/url', ['http://web']],
    [".metadata.annotations['example.org/url']", ['http://web']],
    ['.spec.ports[0].port', [80]],
    ['.spec.ports[-1].port', [9090]],
    ['.spec.ports[7].port', []],
    ['.spec.ports[*].name', ['http', 'https', 'metrics']],
    ['.spec.ports[0:2].port', [80, 443]],
    ['.spec.ports[1:].port', [443, 9090]],
    ['.spec.ports[:-1].port', [80, 443]],
    ['.spec.ports[::2].port', [80, 9090]],
    ['.spec.ports[0,2].port', [80, 9090]],
    ["['kind','metadata'].name", ['web']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    ["{.status.conditions[?(@.type == 'Ready')].status}", ['True']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Stalled']],
    ['.status.conditions[?(@.since>3)].type', ['Stalled']],
    ['.status.conditions[?(@.since <= 3)].type', ['Ready']],
    ['.spec.ports[?(@.target)].name', ['metrics']],
    ['.spec.ports[?(@.target==@.port)].name', ['metrics']],
    ['.spec.ports[?(@.port==$.spec.ports[0].port)].name', ['http']],
    ['..since', [3, 5]],
    ['.matrix[*][0]', [1, 3]],
    ['.metadata.*', ['web', document.metadata.annotations]],
    ['.status.nothing', [null]],
    ['.status.nothing.more', []],
    ['.nowhere.at.all', []],
    ['$', [document]],
    ['.', [document]],
  ])('finds the values of %s', (path, values) => {
    expect(found(path)).toEqual(values)
  })

  it.each([
    ['', 'the path is empty at character 1'],
    ['{.a', 'the brace is not closed'],
    ['.a[', 'is expected at character 4'],
    ['.a[1', 'the bracket is not closed at character 3'],
    ['.a[?(@.b==)]', 'a value or a path that starts with @ is expected'],
    ['.a[?(@.b=~"x")]', 'a comparison or the end of the filter is expected'],
    ['.a..', 'a name is missing'],
    ['{range .items[*]}{.name}{end}', 'unexpected " "'],
    ['.a b', 'unexpected " " at character 3'],
  ])('refuses %j with a message that names the path', (path, problem) => {
    expect(() => compileJsonPath(path)).toThrow(problem)
    expect(() => compileJsonPath(path)).toThrow(`JSON path "${path}"`)
  })

  it.each([
    ['.metadata[0]', 'an object is not a list'],
    ['.metadata.name[?(@.a)]', 'a string is not a list'],
    ['.spec.ports[?(@.name>1)]', 'a string and a number have no order'],
    ['.spec.ports[::0]', 'the step of a range must be above 0'],
    ['.spec[?(@.x==1)]', 'an object is not a list'],
  ])('throws CRB_JSONPATH_MISMATCH with the reason for %s', (path, problem) => {
    expect(() => found(path)).toThrow(expect.objectContaining({ code: 'CRB_JSONPATH_MISMATCH' }))
    expect(() => found(path)).toThrow(problem)
  })
})

describe('a path that visits too much', () => {
  const wide = { items: Array.from({ length: 3_000 }, (_, index) => ({ index, list: [1, 2, 3] })) }
  let nested: object = {}
  for (let depth = 0; depth < 9_000; depth += 1) nested = { a: nested, b: [depth] }
  const limit = expect.objectContaining({ code: 'CRB_JSONPATH_LIMIT' })

  it.each<[string, object]>([
    ['..*..*..*..*', wide],
    ['..*..*', nested],
    ['.items[?(@..index>=0)]..*', wide],
    ['..[?(@ == $)]', [wide, [wide], [[wide]]]],
    [`${'..[*]'.repeat(500)}`, wide],
  ])('%s ends with CRB_JSONPATH_LIMIT within a second', (path, object) => {
    const started = performance.now()
    expect(() => compileJsonPath(path).find(object as never)).toThrow()
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('ends when the object is compared with itself again and again', () => {
    const list = Array.from({ length: 2_000 }, () => 1)
    expect(() => compileJsonPath('$[?($ == $)]').find(list)).toThrow(limit)
  })

  it('finds at most 10,000 values', () => {
    const list = Array.from({ length: 10_001 }, (_, index) => index)
    expect(() => compileJsonPath('$[*]').find(list)).toThrow(limit)
    expect(compileJsonPath('$[*]').find(list.slice(1))).toHaveLength(10_000)
  })

  it('shares the budget of its check', () => {
    const budget = new StepBudget(10_000)
    const path = compileJsonPath('.items[*].index')
    path.find(wide, budget)
    expect(() => path.find(wide, budget)).toThrow(limit)
  })

  it('descends in the order of the document, as deep as it goes', () => {
    expect(compileJsonPath('$..x').find({ a: { x: 1, b: { x: 2 } }, c: [{ x: 3 }], x: 4 })).toEqual([4, 1, 2, 3])
    let deep: object = { x: 1 }
    for (let depth = 0; depth < 9_000; depth += 1) deep = { a: deep }
    expect(compileJsonPath('..x').find(deep as never)).toEqual([1])
  })

  it('refuses a path that is too long to parse', () => {
    expect(() => compileJsonPath('.a[?(@'.repeat(10_000))).toThrow('has 60000 characters, more than 4096')
    expect(() => compileJsonPath('.a[?(@'.repeat(600))).toThrow(
      expect.objectContaining({ code: 'CRB_JSONPATH_INVALID' }),
    )
  })
})
