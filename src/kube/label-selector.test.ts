import { expect, it } from 'vitest'
import { labelSelectorText } from './label-selector.ts'

it('labelSelectorText writes labels and expressions in query syntax', () => {
  const matchExpressions = [
    { key: 'tier', operator: 'In', values: ['a', 'b'] },
    { key: 'tier', operator: 'NotIn', values: ['c'] },
    { key: 'app', operator: 'Exists' },
    { key: 'old', operator: 'DoesNotExist' },
  ] as const
  expect(labelSelectorText({ matchLabels: { app: 'web' }, matchExpressions })).toBe(
    'app=web,tier in (a,b),tier notin (c),app,!old',
  )
  expect(labelSelectorText({})).toBe('')
})
