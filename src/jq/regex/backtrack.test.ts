import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile, JqError } from '../index.ts'
import { Meter } from '../limits.ts'
import { BacktrackingMatcher } from './backtrack.ts'
import { backtracking, parseTree } from './tree.ts'

function meter(steps = 1_000_000): Meter {
  const counting = new Meter({ steps, depth: 100 })
  counting.reset()
  return counting
}

const atoms = [
  'a',
  'b',
  '[ab]',
  '[^a]',
  '.',
  '(a)',
  '(?:b)',
  '(a|b)',
  '(?:ab|b)',
  '(?=a)',
  '(?!b)',
  '(?<=a)',
  '(?<!b)',
  '^',
]
const pattern = fc
  .array(
    fc
      .tuple(fc.constantFrom(...atoms), fc.constantFrom('', '', '*', '+', '*?', '{2}', '{1,2}', '{1,}?'))
      .map(([atom, repeat]) => (/^\(\?[=!<]|\^/.test(atom) ? atom : atom + repeat)),
    { minLength: 1, maxLength: 5 },
  )
  .chain((parts) => fc.constantFrom(parts.join(''), `(?:${parts.join('')})*`, `${parts.join('')}|b`))

describe('the matcher with a budget', () => {
  it('finds the matches of the built-in engine', () => {
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', 'c', '😀'), maxLength: 8 }), (source, text) => {
        const expected = new RegExp(source, 'ud').exec(text)
        const groups = (source.match(/\((?!\?)/g) ?? []).map(() => null)
        const found = new BacktrackingMatcher(parseTree(source), groups, 'ud').find(text, 0, meter())
        const actual = found && [found.start, found.end]
        expect(actual).toEqual(expected ? [expected.index, expected.index + expected[0].length] : undefined)
      }),
      { numRuns: 2_000, seed: 7 },
    )
  })

  it('is used for patterns with exponential time and ends with the budget', () => {
    const text = `${'a'.repeat(5_000)}!`
    for (const source of ['^(a+)+$', '(a|a)*$', '(a*)*b', '^(\\\\w+\\\\s?)*$', '(.*)(.*)(.*)(.*)x']) {
      const program = compile(`test("${source}")`, { limits: { steps: 300_000 } })
      let ending: unknown
      try {
        ending = program.first(text)
      } catch (error) {
        ending = error
      }
      expect(ending === false || (ending instanceof JqError && ending.kind === 'limit')).toBe(true)
    }
  })

  it('matches harmless repeats of groups in linear time', () => {
    const name = Array.from({ length: 60 }, (_, i) => `part${i}`).join('-')
    const program = compile('test("^([a-z0-9]+-)*[a-z0-9]+$")', { limits: { steps: 20_000 } })
    expect(program.first(name)).toBe(true)
    expect(program.first(`${name}_`)).toBe(false)
    expect(compile('[match("((\\\\w)+)-";"g").captures[1].string]').first(`${'ab-'.repeat(100)}`)).toEqual(
      Array.from({ length: 100 }, () => 'b'),
    )
  })

  it('detects dangerous patterns', () => {
    const power = (source: string) => backtracking(parseTree(source))
    expect(power('abc')).toBe(0)
    expect(power('a+b')).toBe(1)
    expect(power('.*foo.*')).toBe(2)
    expect(power('(ab)*')).toBe(1)
    expect(power('(a+)+')).toBe(Number.POSITIVE_INFINITY)
    expect(power('(a|b)*')).toBe(Number.POSITIVE_INFINITY)
  })
})
