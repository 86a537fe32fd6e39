import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { conformanceTable } from './subjects.ts'

it('the reference page has the table of executors and promises that the suite checks', () => {
  expect(readFileSync('docs/reference/executors.md', 'utf8')).toContain(conformanceTable())
})
