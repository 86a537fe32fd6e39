/** Random and deliberate hostile programs: each ends quickly with outputs or a `JqError`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { input, program } from '../../test/jq/generator.ts'
import { compile, JqError, type Limits } from './index.ts'

const limits: Limits = { steps: 100_000, depth: 1_000 }

function errorOf(
  source: string,
  value: Parameters<ReturnType<typeof compile>['first']>[0] = null,
): JqError | undefined {
  try {
    for (const _ of compile(source, { limits }).run(value));
  } catch (error) {
    if (error instanceof JqError) return error
    throw error
  }
  return undefined
}

const pieces =
  `. .. [ ] { } ( ) | , : ; + - * / % // ?// ? " \\( $x as reduce foreach label break try catch if then else end def f: 1e999
  "a" $__loc__ @json @x error input __proto__ .constructor .__proto__ = |= del( path( recurse( limit( range( infinite nan é 😀 \\ # '`.split(
    /\s+/,
  )

/** A valid program with removed, doubled or replaced characters, or random text. */
const broken = fc.oneof(
  fc
    .tuple(program, fc.array(fc.tuple(fc.nat(200), fc.constantFrom(...pieces), fc.nat(3)), { maxLength: 4 }))
    .map(([text, edits]) =>
      edits.reduce((current, [at, piece, cut]) => `${current.slice(0, at)}${piece}${current.slice(at + cut)}`, text),
    ),
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((words) => words.join(' ')),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

describe('hostile programs', () => {
  it('1,000 fuzzed programs neither crash nor hang nor change a prototype', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort()
    fc.assert(
      fc.property(broken, input, (source, text) => {
        errorOf(source, JSON.parse(text))
      }),
      { numRuns: 1_000, seed: 4 },
    )
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each([
    'range(infinite)',
    'def f: f; f',
    'def f: 1 + f; f',
    '[recurse(.; .)]',
    '[repeat(.)]',
    'last(repeat(.))',
    'until(false; .)',
    'reduce range(40) as $i ([1]; . + .)',
    'reduce range(60) as $i ([1]; [., .]) | tojson',
    'reduce range(60) as $i ([1]; [., .]) | [..] | length',
    '"x" * 100000000',
    '.[400000000] = 1',
    '[limit(1e12; repeat(1))]',
    'def f(g): g | f(g) | g; f(.)',
    '[range(1e9)]',
    'label $a | def f: ., f; f | empty',
    '[.[] = 1 | recurse([., .])]',
  ])('%s ends with a clear error', (source) => {
    const error = errorOf(source, [1])
    expect(error?.kind).toBe('limit')
    expect(error?.message).toMatch(/budget of 100000 steps|too deeply/)
  })

  it('deep nesting in programs and values is handled', () => {
    expect(errorOf('('.repeat(50_000))).toBeInstanceOf(JqError)
    expect(errorOf('['.repeat(5_000) + ']'.repeat(5_000))).toBeInstanceOf(JqError)
    expect(errorOf(`1${' | 1'.repeat(2_000)}`)).toBeUndefined()
    expect(errorOf(`1${' + 1'.repeat(20_000)}`)?.kind ?? 'fine').toMatch(/fine|syntax|limit/)
    expect(errorOf('[..] | length', nested(50_000))?.kind ?? 'fine').toMatch(/fine|limit/)
    expect(errorOf('tojson', nested(50_000))).toBeUndefined()
    expect(errorOf('. == .', nested(50_000))).toBeUndefined()
  })

  it('a program cannot catch limit errors', () => {
    expect(errorOf('try range(infinite) catch 1 | empty')?.kind).toBe('limit')
    expect(errorOf('(range(infinite) | empty)? // 1')?.kind).toBe('limit')
  })

  it('names that every object inherits have no special meaning', () => {
    expect(errorOf('. constructor .')?.kind).toBe('syntax')
    expect(errorOf('toString')?.message).toContain('toString/0 is not defined')
    expect(compile('def toString: "a"; {(toString): 1}').first(null)).toEqual({ a: 1 })
    expect(errorOf('$constructor')?.message).toContain('$constructor is not defined')
    expect(errorOf('@constructor')?.message).toBe('constructor is not a valid format')
    expect(compile('test("[[:constructor:]]")').first('x')).toBe(false)
  })

  it('__proto__ and constructor are plain keys', () => {
    const value = JSON.parse('{"__proto__":{"polluted":1},"constructor":2}')
    const run = (source: string) => JSON.stringify([...compile(source).run(value)])
    expect(run('.__proto__')).toBe('[{"polluted":1}]')
    expect(run('.constructor, .toString, .hasOwnProperty')).toBe('[2,null,null]')
    expect(run('{"__proto__": 1} | ., has("__proto__")')).toBe('[{"__proto__":1},true]')
    expect(run('.__proto__.polluted = 3 | .__proto__')).toBe('[{"polluted":3}]')
    expect(run('with_entries(.value |= tojson)')).toBe('[{"__proto__":"{\\"polluted\\":1}","constructor":"2"}]')
    expect(run('[{key: "__proto__", value: 5}] | from_entries')).toBe('[{"__proto__":5}]')
    expect(run('{} * {"__proto__": {a: 1}} | keys')).toBe('[["__proto__"]]')
    expect(run('del(.__proto__)')).toBe('[{"constructor":2}]')
    expect(run('setpath(["__proto__", "x"]; 1) | .__proto__')).toBe('[{"polluted":1,"x":1}]')
    expect(run('[paths]')).toBe('[[["__proto__"],["__proto__","polluted"],["constructor"]]]')
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1},"constructor":2}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

function nested(depth: number): never[] {
  let value: never[] = []
  for (let i = 0; i < depth; i += 1) value = [value as never]
  return value
}
