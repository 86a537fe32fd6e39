import { symlink } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime } from '../../../runtime/real/index.ts'
import type { Module } from '../discovery/module.ts'
import { copyChart } from './chart.ts'
import { secretsIn } from './secrets.ts'

const { files } = createRealRuntime({ log: { level: 'error', write: () => {} } })
let root = ''
let copies = 0

beforeEach(async () => {
  root = await files.makeTemporary('chart-')
})
afterEach(() => files.remove(root))

async function put(path: string, content = ''): Promise<void> {
  await files.makeDirectory(`${root}/${path}`.replace(/\/[^/]*$/, ''))
  await files.write(`${root}/${path}`, content)
}

async function copied(chart: Module['chart'] = 'whole') {
  const target = `${root}/copy-${copies++}`
  const module = { name: 'web', path: `${root}/m`, chart } as Module
  const sum = await copyChart(files, module, target)
  const read = async (below: string): Promise<Record<string, string>> => {
    const all: Record<string, string> = {}
    for (const name of await files.list(target + below)) {
      const path = `${below}/${name}`
      if ((await files.facts(target + path))?.kind === 'directory') Object.assign(all, await read(path))
      else all[path] = await files.readText(target + path)
    }
    return all
  }
  return { sum, files: await read('') }
}

describe('copyChart', () => {
  it('copies the chart with an empty values.yaml', async () => {
    await put('m/Chart.yaml', 'name: web')
    await put('m/values.yaml', 'web: {a: 1}')
    await put('m/templates/a/b.yaml', 'b')
    await put('m/charts/sub/values.yaml', 'kept: 1')
    await put('m/hooks/h.sh', 'h')
    expect((await copied()).files).toEqual({
      '/Chart.yaml': 'name: web',
      '/values.yaml': '',
      '/templates/a/b.yaml': 'b',
      '/charts/sub/values.yaml': 'kept: 1',
      '/hooks/h.sh': 'h',
    })
    expect(await files.readText(`${root}/m/values.yaml`)).toBe('web: {a: 1}')
  })

  it('skips files that .helmignore lists by name', async () => {
    await put('m/Chart.yaml')
    await put('m/.helmignore', '# comment\n/hooks/\ndocs\n')
    for (const name of ['hooks/h.sh', 'docs/d', 'templates/hooks/x']) await put(`m/${name}`)
    const paths = Object.keys((await copied()).files)
    expect(paths).toEqual(['/.helmignore', '/Chart.yaml', '/templates/hooks/x', '/values.yaml'])
  })

  it('creates a chart for a folder with templates only', async () => {
    for (const name of ['templates/a', 'hooks/h', 'crds/c', 'docs/d', 'images/i', 'lib/l', 'charts/c'])
      await put(`m/${name}`)
    await put('m/.helmignore', 'mine\n')
    const { files: made } = await copied('templates')
    expect(made).toEqual({
      '/.helmignore': 'mine\n\ncrds\ndocs\nhooks\nimages\nlib\n',
      '/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 0.2.0\n',
      '/values.yaml': '',
      '/templates/a': '',
      '/charts/c': '',
    })
  })

  it('returns a checksum of names and contents', async () => {
    await put('m/Chart.yaml', 'name: web')
    await put('m/templates/a', '1')
    const { sum } = await copied()
    expect((await copied()).sum).toBe(sum)
    await put('m/values.yaml', 'other: values')
    expect((await copied()).sum).toBe(sum)
    await put('m/templates/a', '2')
    const changed = (await copied()).sum
    expect(changed).not.toBe(sum)
    await files.rename(`${root}/m/templates/a`, `${root}/m/templates/b`)
    expect((await copied()).sum).not.toBe(changed)
  })

  it('follows links but refuses link cycles', async () => {
    await put('common/_helpers.tpl', 'shared')
    await put('m/Chart.yaml')
    await symlink(`${root}/common`, `${root}/m/common`)
    expect((await copied()).files['/common/_helpers.tpl']).toBe('shared')
    await symlink(`${root}/m`, `${root}/m/circle`)
    await expect(copied()).rejects.toMatchObject({
      code: 'CRB_MODULE_INVALID',
      message: expect.stringContaining('form a cycle'),
    })
  })
})

it('secretsIn finds strings under names of credentials', () => {
  const values = {
    host: 'example',
    password: 'longsecret',
    tls: { credentials: ['inner', { any: 'deep' }] },
    token: 'abc',
  }
  expect(secretsIn(values)).toEqual(['longsecret', 'inner', 'deep', 'abc'])
})
