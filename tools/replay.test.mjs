import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { suites } from './replay/suites.mjs'

it.each(Object.entries(suites))('replay finds the files of the suite %s', (suite, { files, titles = '' }) => {
  // The numbers of rollouts are shared among processes by a file of its own.
  const others = suite === 'rollouts' ? ['test/faults/rollout-numbers.ts'] : []
  const texts = [...files, ...others].map((file) => readFileSync(file, 'utf8')).join('\n')
  expect(texts).toMatch(new RegExp(`(?:numbersFor|numberFor)\\(\\s*'${suite}'`))
  for (const title of titles.split('|')) expect(texts).toContain(title.replace('^', ''))
})
