import { describe, expect, it } from 'vitest'
import { parseManifests, parseYaml, parseYamlDocuments, toYaml } from './parse.ts'

describe('scalars as kubectl reads them', () => {
  it.each([
    ['booleans of YAML 1.1', '[yes, On, y, N, off, TRUE, nO]', [true, true, true, false, false, true, 'nO']],
    ['octal, hexadecimal, binary', '[0123, 0o17, 0x1F, -0x10, 0b11, 1_000]', [83, 15, 31, -16, 3, 1000]],
    ['digits that are no octal number', '[08, 09.5]', [8, 9.5]],
    ['floats', '[1e3, .5, 1., -2.5E-1]', [1000, 0.5, 1, -0.25]],
    [
      'neither base 60 nor dates',
      '[1:30, 2001-01-01, 2001-01-01T00:00:00Z]',
      ['1:30', '2001-01-01', '2001-01-01T00:00:00Z'],
    ],
    ['quoted words', `["yes", '0123', "1"]`, ['yes', '0123', '1']],
    ['merge keys', '{a: &x {b: 1, c: 2}, d: {<<: *x, c: 3}}', { a: { b: 1, c: 2 }, d: { b: 1, c: 3 } }],
    ['keys that are not strings', '{1: a, on: b}', { 1: 'a', true: 'b' }],
    ['JSON', '{"a":\t[1, null, "yes"]}', { a: [1, null, 'yes'] }],
  ])('reads %s', (_, text, value) => {
    expect(parseYaml(text, 'f.yaml')).toEqual(value)
  })
})

describe('parseManifests', () => {
  it('returns every object, expands lists, skips empty documents', () => {
    const text = `---
# nothing here
---
apiVersion: v1
kind: Pod
metadata: {name: a}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: b}}
- {apiVersion: batch/v1, kind: Job, metadata: {generateName: c-}}
`
    expect(parseManifests(text, 'f.yaml').map(({ kind }) => kind)).toEqual(['Pod', 'Service', 'Job'])
  })

  it.each([
    ['a: [1, 2', 'CRB_YAML_MALFORMED', /^f\.yaml:1: /],
    ['a: 1\nb: 2\na: 3\n', 'CRB_YAML_MALFORMED', /^f\.yaml:3: duplicated mapping key$/],
    ['a: 1\n---\nkind: Pod\n', 'CRB_MANIFEST_INVALID', /^f\.yaml:1: the document has no apiVersion\.$/],
    [
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n\napiVersion: v1\nkind: Pod\n',
      'CRB_MANIFEST_INVALID',
      /^f\.yaml:6: the document of kind Pod has no metadata\.name\.$/,
    ],
    ['just words', 'CRB_MANIFEST_INVALID', /^f\.yaml:1: the document contains "just words"\.$/],
  ])('names file and line of %j', (text, code, message) => {
    expect(() => parseManifests(text, 'f.yaml')).toThrowError(expect.objectContaining({ code }))
    expect(() => parseManifests(text, 'f.yaml')).toThrowError(message)
  })
})

describe('texts and brackets indented less than their key', () => {
  it.each([
    [
      'a closing quote in the column of its key',
      'o:\n  a: "{\n    b: .c\n  }\n  "\n  d: 1\n',
      { o: { a: '{ b: .c } ', d: 1 } },
    ],
    ['single quotes at the top', "a: 'x\ny\n\nz\n'\nb: 1\n", { a: 'x y\nz ', b: 1 }],
    ['an item of a list', '- a: "x\n  y\n"\n- b\n', [{ a: 'x y ' }, 'b']],
    ['line ends of other systems', 'a: "x\r\ny\r\n"\r\nb: "x\ry\r"\r', { a: 'x y ', b: 'x y ' }],
    ['tabs in brackets', 'a: {\n\tb: [\n\t\t1,\n\t],\n}\n', { a: { b: [1] } }],
    ['brackets', 'a: {\n  b: [\n1\n]\n}\nc: 2\n', { a: { b: [1] }, c: 2 }],
  ])('reads %s', (_, text, value) => {
    expect(parseYaml(text, 'f.yaml')).toEqual(value)
    expect(parseYamlDocuments(`---\n${text}---\n${text}`, 'f.yaml')).toEqual([value, value])
  })

  it('names the line of a manifest in the text as it is', () => {
    const metadata = 'metadata: {name: a, annotations: {a: "\nx\n"}}'
    const text = `apiVersion: v1\nkind: Pod\n${metadata}\n---\nkind: Pod\n`
    expect(() => parseManifests(text, 'f.yaml')).toThrowError(/^f\.yaml:7: the document has no apiVersion/)
  })

  it.each([
    ['a text without an end', 'a: "x\nb: 1\nc: 2\n'],
    ['a document that begins in a text', 'a: "x\ny\n---\nb: 1"\n'],
    ['more than 100 such lines', `a: "${'x\n'.repeat(102)}"\n`],
  ])('refuses %s', (_, text) => {
    expect(() => parseYaml(text, 'f.yaml')).toThrowError(/^f\.yaml:2: deficient indentation$/)
  })
})

it('takes the last of equal keys and the first of several documents where the caller says so', () => {
  const problems: string[] = []
  const options = { tolerate: (problem: string) => void problems.push(problem) }
  expect(parseYaml('a: 1\nb: {c: 1}\na: 3\nb: {d: 2}\n', 'f.yaml', options)).toEqual({ a: 3, b: { d: 2 } })
  expect(parseYaml('---\na: 1\n---\nb: 2\n', 'f.yaml', options)).toEqual({ a: 1 })
  expect(problems).toEqual([
    'f.yaml:3: duplicated mapping key; the last value counts',
    'f.yaml: expected a single document in the stream, but found more; the first one counts',
  ])
  expect(parseYaml('a: 1', 'f.yaml', options)).toEqual({ a: 1 })
  expect(() => parseYaml('a: 1\na: [', 'f.yaml', options)).toThrowError(/^f\.yaml:/)
  expect(problems).toHaveLength(2)
})

describe('toYaml', () => {
  it('quotes strings that other parsers read as another type', () => {
    const value = { a: 'yes', b: '0123', c: ['1', { d: 'x'.repeat(200) }], e: 'two\nlines\n' }
    const text = toYaml(value)
    expect(parseYaml(text, 'f.yaml')).toEqual(value)
    expect(text).toBe(`a: 'yes'\nb: '0123'\nc:\n- '1'\n- d: ${'x'.repeat(200)}\ne: |\n  two\n  lines\n`)
  })
})

describe('aliases', () => {
  const tenfold = (level: number) =>
    `a${level}: &a${level} [${Array(10)
      .fill(`*a${level - 1}`)
      .join(', ')}]\n`
  const bomb = `a0: &a0 [x]\n${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(tenfold).join('')}`

  it.each([
    [
      'a few lines that expand to billions of values',
      bomb,
      /^f\.yaml: its aliases expand it to more than 1000000 values$/,
    ],
    ['a value that contains itself', 'a: &a {b: [*a]}\n', /^f\.yaml: an alias refers to a value that contains it$/],
  ])('refuses %s', (_, text, message) => {
    const object = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${text}`
    for (const parse of [parseYaml, parseYamlDocuments, parseManifests])
      expect(() => parse(object, 'f.yaml')).toThrowError(message)
  })
})
