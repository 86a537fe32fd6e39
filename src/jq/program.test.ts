import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differences } from './differences.ts'
import { compile, JqError } from './index.ts'

function errorOf(run: () => unknown): JqError {
  try {
    run()
  } catch (error) {
    if (error instanceof JqError) return error
    throw error
  }
  throw new Error('no error')
}

describe('a program', () => {
  it('returns all outputs, the first, or each one to a callback', () => {
    const program = compile('.[] | . * 2')
    expect([...program.run([1, 2, 3])]).toEqual([2, 4, 6])
    expect(program.first([1, 2, 3])).toBe(2)
    expect(program.first([])).toBeUndefined()
    const seen: unknown[] = []
    program.each([1, 2, 3], (value) => {
      seen.push(value)
      return seen.length === 2
    })
    expect(seen).toEqual([2, 4])
  })

  it('may end an object with a comma, but no array, pattern or list of arguments', () => {
    expect(compile('{ "name": .a, b: [1 | {c: ., }], }').first({ a: 1 })).toEqual({ name: 1, b: [{ c: 1 }] })
    for (const wrong of ['{,}', '{a,,}', '{a: 1,', '[1,]', '. as {a: $x,} | $x', 'limit(1; 2;)'])
      expect(errorOf(() => compile(wrong)).message).toMatch(/syntax error/)
  })

  it('computes nothing after the first output', () => {
    expect(compile('1, error("too far")').first(null)).toBe(1)
    expect(compile('range(infinite)').first(null)).toBe(0)
  })

  it('returns the outputs before an error, then throws the error', () => {
    const outputs: unknown[] = []
    const error = errorOf(() => {
      for (const value of compile('1, 2, error({code: 7})').run(null)) outputs.push(value)
    })
    expect(outputs).toEqual([1, 2])
    expect(error.kind).toBe('runtime')
    expect(error.value).toEqual({ code: 7 })
  })

  it('never changes its input and shares untouched parts', () => {
    const input = Object.freeze({ a: Object.freeze({ b: 1 }), c: Object.freeze([1, 2]) })
    const output = compile('.a.b = 2 | del(.c[0])').first(input) as { c: unknown; a: unknown }
    expect(output).toEqual({ a: { b: 2 }, c: [2] })
    expect(input).toEqual({ a: { b: 1 }, c: [1, 2] })
    expect((compile('.a.b = 2').first(input) as { c: unknown }).c).toBe(input.c)
  })

  it('uses variables, environment, inputs and time of the caller', () => {
    const left = [10, 20]
    const program = compile('[$x, $ENV.HOME, env.HOME, input, [inputs], now]', {
      variables: ['x'],
      env: { HOME: '/root' },
      input: () => left.shift(),
      now: () => 42,
    })
    expect(program.first(null, { x: { deep: true } })).toEqual([{ deep: true }, '/root', '/root', 10, [20], 42])
    expect(errorOf(() => compile('$x')).message).toContain('$x is not defined')
    expect(compile('[$ENV, now, (try input catch .)]').first(null)).toEqual([{}, 0, 'break'])
  })

  it('returns plain numbers by default', () => {
    expect(compile('[1.0, 100000000000000000001, ("1.50" | fromjson)]').first(null)).toEqual([1, 1e20, 1.5])
    expect(compile('1.50 | tojson').first(null)).toBe('1.50')
  })

  it('does not grow the stack for calls in tail position', () => {
    expect(compile('def f: if . >= 200000 then . else . + 1 | f end; f').first(0)).toBe(200_000)
    expect(compile('last(recurse(if . < 100000 then . + 1 else empty end))').first(0)).toBe(100_000)
    expect(compile('[limit(3; def f: ., (. + 1 | f); f)]').first(0)).toEqual([0, 1, 2])
  })

  it('can run itself inside a callback', () => {
    let inner: unknown
    const program = compile('if . == 0 then debug else . end | . + 1', {
      message: () => {
        inner ??= program.first(5)
      },
    })
    expect(program.first(0)).toBe(1)
    expect(inner).toBe(6)
  })

  it('syntax errors show the position', () => {
    const error = errorOf(() => compile('.a |\n  (.b | foo(1))'))
    expect(error).toMatchObject({ kind: 'syntax', line: 2, column: 9, exitCode: 3 })
    expect(error.picture).toBe('      (.b | foo(1))\n            ^^^')
    expect(errorOf(() => compile('def f: undefined_name; 1')).message).toContain('undefined_name/0 is not defined')
  })

  it('respects the limits of steps and depth', () => {
    expect(errorOf(() => compile('[range(1000)]', { limits: { steps: 100 } }).first(null)).kind).toBe('limit')
    expect(errorOf(() => compile('def f: [f]; f', { limits: { depth: 50 } }).first(null)).message).toContain(
      '50 open calls',
    )
    const program = compile('[range(60)] | length', { limits: { steps: 100 } })
    expect([program.first(null), program.first(null)]).toEqual([60, 60])
  })

  it('the reference page lists all differences to jq', () => {
    const page = readFileSync(new URL('../../docs/reference/jq.md', import.meta.url), 'utf8')
    for (const { what, why } of differences) expect(page).toContain(`| ${what} | ${why} |`)
    expect(differences.length).toBeLessThanOrEqual(10)
  })
})
