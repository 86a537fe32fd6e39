import { expect, it } from 'vitest'
import { isLabelKey, isLabelValue, isNamespaceName, isObjectName } from './names.ts'

const long = (length: number) => 'x'.repeat(length)

it.each([
  ['namespace', isNamespaceName, ['a', '0-a', long(63)], ['', '-a', 'a-', 'A', 'a.b', 'a_b', 'a\n', long(64)]],
  ['object', isObjectName, ['a', 'a.b', '0.a-b', long(253)], ['', '.a', 'a.', 'a..b', 'a.-b', 'A', 'a/b', long(254)]],
  [
    'label key',
    isLabelKey,
    ['a', 'A_b.c', 'example.com/a', `${long(253)}/${long(63)}`],
    ['', '/a', 'a/', 'a/b/c', '_a', 'a-', 'Example.com/a', 'a..b/c', long(64), `${long(254)}/a`],
  ],
  ['label value', isLabelValue, ['', 'a', 'A_b.c', long(63)], ['-a', 'a-', 'a b', 'a/b', long(64)]],
])('knows what is the name of a %s', (_, is, good, bad) => {
  expect(good.filter((text) => !is(text))).toEqual([])
  expect(bad.filter((text) => is(text))).toEqual([])
})
