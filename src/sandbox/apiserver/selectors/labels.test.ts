import { describe, expect, it } from 'vitest'
import { formatLabelSelector, matchesLabels, parseLabelSelector, requirementsOf } from './labels.ts'

const labels = { app: 'web', tier: 'front', replicas: '5', empty: '' }

describe('label selectors', () => {
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web,tier!=back', true],
    ['app!=web', false],
    ['missing!=x', true],
    ['app in (web, api)', true],
    ['app in (api)', false],
    ['app notin (api),tier', true],
    ['missing notin (a)', true],
    ['!missing', true],
    ['!app', false],
    ['empty=', true],
    ['replicas>4,replicas<6', true],
    ['replicas>5', false],
    ['app>4', false],
    ['app in (,web)', true],
  ])('%j matches: %s', (text, expected) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(expected)
  })

  it.each([
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
  ])('%j is refused', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message)
  })

  it('convert from LabelSelector objects and format as text', () => {
    const requirements = requirementsOf({
      matchLabels: { b: '1' },
      matchExpressions: [
        { key: 'a', operator: 'NotIn', values: ['y', 'x'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    })
    expect(formatLabelSelector(requirements)).toBe('a notin (x,y),b=1,!c')
    expect(matchesLabels(requirements, { b: '1', a: 'z' })).toBe(true)
  })
})
