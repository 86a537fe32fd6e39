import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RegexSyntaxError } from './error.ts'
import { compileRegex } from './regex.ts'

describe('compileRegex', () => {
  it('supports the syntax of RE2', () => {
    const cases: readonly [string, string, boolean][] = [
      ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'web-0', true],
      ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'web-', false],
      ['^(a|bc){2,3}$', 'abca', true],
      ['^(a|bc){2,3}$', 'a', false],
      ['^a{2}$', 'aa', true],
      ['^a{2,}$', 'aaaa', true],
      ['a{,2}', 'a{,2}', true],
      ['(?i)hello', 'hELLO', true],
      ['(?i:h)ello', 'HELLO', false],
      ['(?s)a.b', 'a\nb', true],
      ['a.b', 'a\nb', false],
      ['(?m)^b$', 'a\nb\nc', true],
      ['^b$', 'a\nb\nc', false],
      ['\\Aab\\z', 'ab', true],
      ['\\bfoo\\b', 'a foo b', true],
      ['\\bfoo\\b', 'afoo', false],
      ['\\Boo', 'foo', true],
      ['^[[:alpha:]_]+$', 'ab_C', true],
      ['^[^[:digit:]]+$', 'ab1', false],
      ['^\\p{Greek}+$', 'αβγ', true],
      ['^\\pL+$', 'aé', true],
      ['^\\PL+$', '12', true],
      ['^[\\w.-]+$', 'a.b-c_1', true],
      ['^\\D\\S\\W$', 'ab-', true],
      ['^\\x41\\x{1F600}\\t$', 'A😀\t', true],
      ['^\\Qa.b\\E$', 'a.b', true],
      ['^\\Qa.b\\E$', 'axb', false],
      ['^(?P<year>\\d{4})-(?:\\d{2})$', '2024-05', true],
      ['^[]a]+$', ']a', true],
      ['^[a\\-z]+$', 'a-z', true],
      ['^.$', '😀', true],
      ['', 'anything', true],
      ['a||b', 'zzz', true],
    ]
    for (const [pattern, text, expected] of cases)
      expect(compileRegex(pattern).test(text), `${pattern} on ${text}`).toBe(expected)
  })

  it('rejects what RE2 rejects', () => {
    for (const pattern of [
      '(',
      ')',
      '[a',
      'a**',
      '*a',
      '\\',
      '(?=a)',
      '(?<!a)b',
      '\\1',
      'a{1001}',
      '[z-a]',
      '(?x)a',
      '\\pX',
      '[[:nope:]]',
    ]) {
      expect(() => compileRegex(pattern), pattern).toThrow(RegexSyntaxError)
    }
    expect(() => compileRegex('(((a{100}){100}){100})')).toThrow('expression too large')
  })

  it('finds the leftmost match with the preference of the expression', () => {
    expect(compileRegex('a+').find('baaac')).toEqual({ start: 1, end: 4 })
    expect(compileRegex('a+?').find('baaac')).toEqual({ start: 1, end: 2 })
    expect(compileRegex('ab|abc').find('abc')).toEqual({ start: 0, end: 2 })
    expect(compileRegex('x*').find('aaa')).toEqual({ start: 0, end: 0 })
    expect(compileRegex('b').find('abab', 2)).toEqual({ start: 3, end: 4 })
    expect(compileRegex('z').find('abab')).toBeUndefined()
  })

  it('has the results of JavaScript for expressions that both support', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '(?:a|b)', '(?:ab|a)', '^', '$', '\\b')
    const quantifier = fc.constantFrom('', '', '*', '+', '?', '{1,2}', '*?', '+?', '??')
    const pattern = fc
      .array(fc.tuple(atom, quantifier), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.map(([one, how]) => (/^[\^$]|\\b/.test(one) ? one : one + how)).join(''))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\n'), maxLength: 8 })
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), text, (options, subject) => {
        const source = options.join('|')
        const match = new RegExp(source, 'u').exec(subject)
        const expected = match === null ? undefined : { start: match.index, end: match.index + match[0].length }
        expect(compileRegex(source).find(subject), `${source} on ${JSON.stringify(subject)}`).toEqual(expected)
        expect(compileRegex(source).test(subject)).toBe(match !== null)
      }),
      { numRuns: 2000 },
    )
  })

  it('needs linear time for expressions with exponential backtracking', () => {
    const text = `${'a'.repeat(20_000)}!`
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^(a*)*$', '(.*)(.*)(.*)x', '^(([a-z])+.)+[A-Z]$']) {
      expect(compileRegex(pattern).test(text), pattern).toBe(false)
    }
  })
})
