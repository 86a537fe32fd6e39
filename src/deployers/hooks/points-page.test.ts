import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { hookTypes } from './registry.ts'

it('the page about hooks lists every point, and says how many there are', () => {
  const page = readFileSync(new URL('../../../docs/reference/deployer-hooks.md', import.meta.url), 'utf8')
  const [, points = ''] = /## Points\n([\s\S]*?)\n## /.exec(page) ?? []
  const named = [...points.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
  expect(named.toSorted()).toEqual([...hookTypes].sort())
  expect(points).toContain('There are ten points.')
  expect(hookTypes).toHaveLength(10)
})
