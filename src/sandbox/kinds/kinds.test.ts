import { describe, expect, it } from 'vitest'
import type { LabelSelector } from '../../kube/label-selector.ts'
import { scaledAmount } from './amount.ts'
import { canonical, semanticallyEqual } from './canonical.ts'
import { shortHash } from './hash.ts'
import { quantity } from './quantity.ts'
import { selects } from './selector.ts'
import { tolerates } from './taints.ts'

describe('amounts', () => {
  it.each([
    [3, 10, 'up', 3],
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    [undefined, 10, 'up', 0],
  ] as const)('%s of %s rounded %s is %s', (value, total, round, expected) => {
    expect(scaledAmount(value, total, round)).toBe(expected)
  })
})

describe('quantities', () => {
  it.each([
    ['250m', 0.25],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['2e3', 2000],
    ['1k', 1000],
    [4, 4],
    [undefined, 0],
  ])('%s is %s', (text, expected) => {
    expect(quantity(text)).toBe(expected)
  })

  it('is NaN for invalid text', () => {
    expect(quantity('many')).toBeNaN()
  })
})

describe('semantic equality', () => {
  it('ignores key order, nulls, empty lists and empty labels', () => {
    expect(semanticallyEqual({ b: 1, a: [], labels: {} }, { b: 1, c: null })).toBe(true)
    expect(semanticallyEqual({ emptyDir: {} }, {})).toBe(false)
    expect(semanticallyEqual({ a: [1, 2] }, { a: [2, 1] })).toBe(false)
  })

  it('can ignore one label', () => {
    expect(canonical({ labels: { a: 'x', hash: 'y' } }, 'hash')).toBe(canonical({ labels: { a: 'x' } }))
  })

  it('hashes to ten safe characters that depend on collisionCount', () => {
    expect(shortHash('x')).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{10}$/)
    expect(shortHash('x')).not.toBe(shortHash('x', 1))
  })
})

describe('selectors', () => {
  const labels = { app: 'web', tier: 'front' }
  it.each<[LabelSelector | undefined, boolean]>([
    [undefined, false],
    [{}, true],
    [{ matchLabels: { app: 'web' } }, true],
    [{ matchLabels: { app: 'db' } }, false],
    [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['front', 'back'] }] }, true],
    [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['front'] }] }, false],
    [{ matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }, true],
    [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }, false],
  ])('%j selects: %s', (selector, expected) => {
    expect(selects(selector, labels)).toBe(expected)
  })
})

describe('tolerations', () => {
  const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }
  it.each([
    [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }, true],
    [{ key: 'gpu', value: 'no' }, false],
    [{ key: 'gpu', operator: 'Exists' }, true],
    [{ operator: 'Exists' }, true],
    [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'disk', operator: 'Exists' }, false],
  ])('%j: %s', (toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected)
  })
})
