/** `carabiner deployer` as built, with invalid input. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from './program.ts'

const example = fileURLToPath(new URL('../../examples/10-deployer/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'carabiner-deployer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function put(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('carabiner deployer test', () => {
  it('reports where a deployer differs from the expectation of a case', async () => {
    put(
      'wrong.case.yaml',
      `name: wrong
deployer: ${join(example, 'greeting.mjs')}
given:
  item:
    metadata: {name: hello}
    spec: {type: example.com/greeting, config: {apiVersion: example.com/v1, kind: Greeting, text: a}}
expect:
  phase: Succeeded
  objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: hello}}]
  exports: {text: a}
`,
    )
    const { code, stdout, stderr } = await run(['deployer', 'test', folder])
    expect(stdout).toMatch(/^wrong +FAILED/m)
    expect(stderr).toContain('expect.phase: expected "Succeeded", found "Failed"')
    expect(stderr).toContain('spec.target is missing')
    expect(stderr).toContain('expect.objects[0]: ConfigMap hello does not exist')
    expect(stderr).toContain('expect.exports: expected {"text":"a"}, found nothing')
    expect(code).toBe(1)
  })

  it('requires a case', async () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const { code, stderr } = await run(['deployer', 'test', empty])
    expect(stderr).toContain('no file ends in .case.yaml')
    expect(code).toBe(1)
  })
})

describe('carabiner deployer run', () => {
  it.each([
    ['no-export.mjs', 'export const deployer = 1\n', 'its default export is not a deployer'],
    ['no-end.mjs', 'export default {\n', 'no-end.mjs` shows the line'],
    ['no-import.mjs', "import './nowhere.mjs'\n", 'nowhere.mjs'],
    [
      'no-type.mjs',
      "import { defineDeployer } from 'carabiner/deployers'\nexport default defineDeployer({ name: 'x' })\n",
      'deployer x: type, reconcile, delete missing',
    ],
  ])('refuses %s with the reason', async (name, text, why) => {
    const { code, stderr } = await run(['deployer', 'run', put(name, text)])
    expect(stderr).toContain('CRB_DEPLOYER_UNLOADABLE')
    expect(stderr).toContain(why)
    expect(code).toBe(1)
  })

  it('requires a file instead of its folder', async () => {
    const { code, stderr } = await run(['deployer', 'run', folder])
    expect(stderr).toContain(`${folder} is a folder; pass the file`)
    expect(code).toBe(1)
  })
})

describe('carabiner deployer new', () => {
  it('refuses an invalid name and an existing folder', async () => {
    const bad = await run(['deployer', 'new', '../up'])
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('is not a valid name')])
    const there = await run(['deployer', 'new', 'src'])
    expect([there.code, there.stderr]).toEqual([2, expect.stringContaining('src already exists')])
  })
})
