/** The reference documents exactly the metrics that the code registers. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

function textsBelow(folder: string, isWanted: (name: string) => boolean): readonly string[] {
  const url = new URL(`../../${folder}/`, import.meta.url)
  const names = readdirSync(url, { recursive: true, encoding: 'utf8' })
  return names.filter(isWanted).map((name) => readFileSync(new URL(name, url), 'utf8'))
}

const found = (texts: readonly string[], pattern: RegExp): readonly string[] =>
  [...new Set(texts.flatMap((text) => Array.from(text.matchAll(pattern), ([, name = '']) => name)))].toSorted()

it('the reference lists every carabiner metric and no other', () => {
  const sources = textsBelow('src', (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const pages = textsBelow('docs/reference', (name) => name.endsWith('.md'))
  const made = found(sources, /name: '(carabiner_\w+)'/g)
  expect(made).toContain('carabiner_leader')
  expect(found(pages, /`(carabiner_[a-z_]+)`/g)).toEqual(made)
})
