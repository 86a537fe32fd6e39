import { chmod, symlink } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime } from '../../../runtime/real/index.ts'
import { discoverModules, modulesDirs } from './discover.ts'

const lines: string[] = []
const runtime = createRealRuntime({ log: { level: 'warn', write: (line) => lines.push(line) } })
const { files } = runtime
let root = ''

beforeEach(async () => {
  root = await files.makeTemporary('modules-')
  lines.length = 0
})
afterEach(() => files.remove(root))

async function put(path: string, content = '', mode = 0o644): Promise<void> {
  await files.makeDirectory(`${root}/${path}`.replace(/\/[^/]*$/, ''))
  await files.write(`${root}/${path}`, content)
  await chmod(`${root}/${path}`, mode)
}

const found = (...dirs: string[]) => discoverModules(runtime, dirs.length > 0 ? dirs : [`${root}/modules`])

describe('discoverModules', () => {
  it('[addons D7] orders modules by number, then by name', async () => {
    for (const folder of ['100-ingress', '020-b', '020-a', '9-node-exporter']) await put(`modules/${folder}/x`)
    const { modules } = await found()
    expect(modules.map(({ order, name, key }) => [order, name, key])).toEqual([
      [9, 'node-exporter', 'nodeExporter'],
      [20, 'a', 'a'],
      [20, 'b', 'b'],
      [100, 'ingress', 'ingress'],
    ])
    expect(modules[0]).toMatchObject({ folder: '9-node-exporter', path: `${root}/modules/9-node-exporter` })
  })

  it('finds charts and executable enabled scripts', async () => {
    await put('modules/001-a/Chart.yaml')
    await put('modules/001-a/templates/x.yaml')
    await put('modules/001-a/enabled', '', 0o755)
    await put('modules/002-b/templates/x.yaml')
    await put('modules/002-b/enabled', '', 0o644)
    await put('modules/003-c/hooks/h.sh')
    const { modules } = await found()
    expect(modules.map(({ chart, enabledScript }) => [chart, enabledScript])).toEqual([
      ['whole', `${root}/modules/001-a/enabled`],
      ['templates', undefined],
      [undefined, undefined],
    ])
    expect(lines).toEqual([expect.stringContaining(`${root}/modules/002-b/enabled`)])
  })

  it('skips files, hidden folders and dangling links, and follows links to folders', async () => {
    await put('elsewhere/x')
    await put('modules/readme.md')
    await put('modules/.git/x')
    await symlink(`${root}/elsewhere`, `${root}/modules/001-linked`)
    await symlink(`${root}/nowhere`, `${root}/modules/002-dangling`)
    expect((await found()).modules.map(({ name }) => name)).toEqual(['linked'])
  })

  it('returns no modules for a missing folder', async () => {
    expect(await found()).toEqual({ modules: [], static: { sections: {}, flags: {} } })
  })

  it('uses the first of several folders with a module of the same name', async () => {
    await put('one/001-a/x')
    await put('two/002-a/x')
    await put('two/003-b/x')
    const { modules } = await found(...modulesDirs(`${root}/one/:${root}/two:`))
    expect(modules.map(({ path }) => path)).toEqual([`${root}/one/001-a`, `${root}/two/003-b`])
  })

  it.each([
    ['plain', /modules\/plain has no number prefix, such as in 010-node-exporter/],
    ['001-Upper', /001-Upper has the name "Upper"/],
    ['001-node-2', /001-node-2 has the name "node-2"/],
    ['001-', /001- has the name ""/],
    ['001-global', /001-global has the name "global", whose key global is reserved/],
    ['001-a-enabled', /whose key aEnabled is reserved/],
    [`001-${'a'.repeat(54)}`, /a name of 54 characters; at most 53 are allowed/],
  ])('[addons D7] refuses the folder name %s', async (folder, message) => {
    await put(`modules/${folder}/x`)
    await expect(found()).rejects.toMatchObject({ code: 'CRB_MODULE_INVALID', message: expect.stringMatching(message) })
  })

  it('reports all invalid folders together, including duplicate names', async () => {
    for (const folder of ['001-a', '002-a', 'b', 'c']) await put(`modules/${folder}/x`)
    const refused = await found().catch((error: Error) => error.message.split('\n'))
    expect(refused).toEqual([
      expect.stringContaining('modules/002-a has the same name as 001-a in the same folder'),
      expect.stringContaining('modules/b'),
      expect.stringContaining('modules/c'),
    ])
  })

  it('accepts folders without a number when an order for them is set', async () => {
    for (const folder of ['plain', '000-first', '002-last']) await put(`modules/${folder}/x`)
    const { modules } = await discoverModules(runtime, [`${root}/modules`], { unnumbered: 1 })
    expect(modules.map(({ name }) => name)).toEqual(['first', 'plain', 'last'])
  })
})

describe('static values of modules', () => {
  it('merge the values.yaml of each module over the common one', async () => {
    await put(
      'modules/values.yaml',
      'global: {project: shop}\nnodeExporter: {port: 1, list: [1, 2], deep: {a: 1, b: 1}}\nbEnabled: true\nother: 1\n',
    )
    await put('modules/003-empty/values.yaml', '# nothing yet\n')
    await put('modules/001-node-exporter/values.yaml', 'nodeExporter: {list: [3], deep: {b: 2}}\n')
    await put('modules/002-b/values.yaml', 'b: false\nreplicas: 3\nglobal: {project: stolen}\n')
    expect((await found()).static).toEqual({
      sections: { global: { project: 'shop' }, nodeExporter: { port: 1, list: [3], deep: { a: 1, b: 2 } } },
      flags: { b: false },
    })
    expect(lines).toEqual([expect.stringMatching(/002-b\/values\.yaml.*replicas.*global/)])
  })

  it.each([
    ['modules/values.yaml', 'global: 1', /modules\/values\.yaml: global: expected a map of values, found number/],
    [
      'modules/values.yaml',
      'aEnabled: maybe',
      /modules\/values\.yaml: aEnabled: expected true or false, found "maybe"/,
    ],
    ['modules/values.yaml', '[1]', /modules\/values\.yaml is not a map of values/],
    ['modules/001-a/values.yaml', 'a: {', /001-a\/values\.yaml:\d/],
  ])('are refused with the name of the file: %s %s', async (file, text, message) => {
    await put('modules/001-a/x')
    await put(file, text)
    await expect(found()).rejects.toThrow(message)
  })
})
