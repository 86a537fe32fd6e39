/** The guides about deployers, executed block by block, and the example they use. */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { kubectlPath } from '../cluster/programs.ts'
import { blocksOf, Reader } from './guides.ts'

const example = new URL('../../examples/10-deployer/', import.meta.url)

let reader: Reader | undefined
afterEach(() => reader?.close())

/** Executes a guide and returns the output. */
async function runGuide(guide: string): Promise<string> {
  reader = new Reader()
  await reader.follow(`docs/guides/${guide}.md`)
  return reader.said
}

describe.skipIf(kubectlPath === undefined)('the guides to deployers', () => {
  it('write-a-deployer works as written', async () => {
    const said = await runGuide('write-a-deployer')
    expect(said.match(/ ok /g)).toHaveLength(2 + 4)
    expect(said).not.toContain('FAILED')
    expect(said).toMatch(/^phase +Succeeded$/m)
    expect(said).toContain('good morning')
    expect(said).toMatch(/Progress +wrote ConfigMap hello/)
  }, 120_000)

  it('hook-into-a-deployer works as written', async () => {
    const said = await runGuide('hook-into-a-deployer')
    expect(said).toMatch(/^a frozen item waits +ok +5 min/m)
    expect(said).toMatch(/^phase +Init$/m)
    expect(said).toMatch(/^phase +Succeeded$/m)
    expect(said).toMatch(/✓ mock\.deployer.*: the type matches and the item has no target/)
  }, 120_000)

  it('show the deployer of the example in less than 30 lines', () => {
    const text = (name: string) => readFileSync(new URL(name, example), 'utf8')
    const shown = new Map(blocksOf('docs/guides/write-a-deployer.md').map(({ note, text: content }) => [note, content]))
    expect(shown.get('greeting/greeting.mjs')).toBe(text('greeting.mjs'))
    expect(shown.get('greeting/greeting.case.yaml')).toBe(text('greeting.case.yaml'))
    expect(text('greeting.mjs').trim().split('\n').length).toBeLessThan(30)
  })
})
