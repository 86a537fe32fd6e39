import { expect, it } from 'vitest'
import { imageChange } from './images.ts'

const template = (images: Readonly<Record<string, string>>) => ({
  spec: { containers: Object.entries(images).map(([name, image]) => ({ name, image })) },
})

it.each([
  [{ web: 'web:1' }, { web: 'web:2' }, 'web:1 → web:2'],
  [{ web: 'web:1' }, { web: 'web:1' }, 'web:1 (unchanged)'],
  [undefined, { web: 'web:1', log: 'log:1' }, 'web:1, log:1'],
  [{ web: 'web:1', log: 'log:1' }, { web: 'web:2', log: 'log:1' }, 'web: web:1 → web:2'],
  [{ web: 'web:1' }, { web: 'web:1', log: 'log:1' }, 'log: + log:1'],
])('from %j to %j is %s', (from, to, text) => {
  expect(imageChange(from === undefined ? undefined : template(from as Record<string, string>), template(to))).toBe(
    text,
  )
})
