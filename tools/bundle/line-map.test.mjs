import { SourceMap } from 'node:module'
import { transformSync } from 'esbuild'
import { expect, it } from 'vitest'
import { lineMap } from './line-map.mjs'

const source = `export function outer(list) {
  const doubled = list.map((one) => one * 2)
  return doubled.filter((one) => {
    if (one > 3) throw new Error('large')
    return inner(one)
  })
}
export const inner = (one) => one
`

it('leads every generated position to the same source line as the whole map', () => {
  const { code, map } = transformSync(source, {
    minify: true,
    sourcemap: true,
    sourcefile: 'a.js',
    sourcesContent: false,
  })
  const [whole, lines] = [map, lineMap(map)].map((text) => new SourceMap(JSON.parse(text)))
  expect(lineMap(map).length).toBeLessThan(map.length)
  code.split('\n').forEach((line, row) => {
    for (let column = 0; column < line.length; column++)
      expect(lines.findEntry(row, column).originalLine).toBe(whole.findEntry(row, column).originalLine)
  })
})
