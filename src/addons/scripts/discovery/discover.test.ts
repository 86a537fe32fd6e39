import { chmod, symlink } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime } from '../../../runtime/real/index.ts'
import { discoverHooks, discoverModuleHooks } from './discover.ts'

const lines: string[] = []
const { files, log } = createRealRuntime({ log: { level: 'warn', write: (line) => lines.push(line) } })
let root = ''

beforeEach(async () => {
  root = await files.makeTemporary('discovery-')
  lines.length = 0
})
afterEach(() => files.remove(root))

async function put(path: string, mode = 0o755, content = '#!/bin/sh\n'): Promise<void> {
  await files.makeDirectory(`${root}/${path}`.replace(/\/[^/]*$/, ''))
  await files.write(`${root}/${path}`, content)
  await chmod(`${root}/${path}`, mode)
}

const inDocument = async () => discoverHooks(files, log, { layout: 'document', workingDir: root })
const inFolder = async () => discoverHooks(files, log, { layout: 'folder', hooksDir: root })
const names = (hooks: readonly { readonly name: string }[]): string[] => hooks.map(({ name }) => name)

describe('the document layout', () => {
  it('[addons D2] finds global hooks at any depth of global-hooks, and hooks of a module in its hooks folder', async () => {
    for (const path of ['global-hooks/a.sh', 'global-hooks/x/y/b.py', 'elsewhere/c.sh', 'modules/001-m/hooks/z/d.sh'])
      await put(path)
    expect(names(await inDocument())).toEqual(['global-hooks/a.sh', 'global-hooks/x/y/b.py'])
    const module = { path: `${root}/modules/001-m`, folder: '001-m' }
    expect(names(await discoverModuleHooks(files, log, root, module))).toEqual(['001-m/hooks/z/d.sh'])
  })

  it('[addons D6, Z5] uses another folder for global hooks when set, and names hooks after it', async () => {
    await put('elsewhere/shared/x/a.sh')
    await put('global-hooks/b.sh')
    const place = { layout: 'document', workingDir: root, globalHooksDir: `${root}/elsewhere/shared/` } as const
    expect(await discoverHooks(files, log, place)).toMatchObject([
      { name: 'shared/x/a.sh', directory: `${root}/elsewhere/shared/x`, workingDir: root, scope: 'global' },
    ])
  })

  it('[addons D2] returns no hooks for missing folders', async () => {
    expect(await inDocument()).toEqual([])
    expect(await discoverModuleHooks(files, log, root, { path: `${root}/modules/m`, folder: 'm' })).toEqual([])
  })

  it('[addons D2] refuses a configured folder of global hooks that does not exist', async () => {
    const place = { layout: 'document', workingDir: root, globalHooksDir: `${root}/nowhere/` } as const
    await expect(discoverHooks(files, log, place)).rejects.toMatchObject({
      code: 'CRB_FILE_NOT_FOUND',
      message: `there is no hooks folder ${root}/nowhere`,
    })
    await put('file.sh')
    await expect(discoverHooks(files, log, { ...place, globalHooksDir: `${root}/file.sh` })).rejects.toMatchObject({
      message: `there is no hooks folder ${root}/file.sh: it is a file; name its folder`,
    })
  })

  it('[addons D3] skips hidden files and folders', async () => {
    for (const path of ['.hidden.sh', '.git/hooks/a.sh', 'b/.c/d.sh', 'b/e.sh']) await put(`global-hooks/${path}`)
    expect(names(await inDocument())).toEqual(['global-hooks/b/e.sh'])
  })

  it('[addons D4] orders hooks by the bytes of their paths', async () => {
    for (const path of ['a/z.sh', 'a-b.sh', 'B.sh', 'a.sh', 'é.sh', '10.sh', '9.sh', 'z.sh'])
      await put(`global-hooks/${path}`)
    const expected = ['10.sh', '9.sh', 'B.sh', 'a-b.sh', 'a.sh', 'a/z.sh', 'z.sh', 'é.sh']
    expect(names(await inDocument())).toEqual(expected.map((name) => `global-hooks/${name}`))
  })

  it('[addons D5] finds every executable file, whatever its name', async () => {
    await put('global-hooks/a', 0o755)
    await put('global-hooks/b.yaml', 0o700)
    await put('global-hooks/lib/c.sh', 0o711)
    await put('global-hooks/lib/functions.sh', 0o644)
    await symlink(`${root}/global-hooks/a`, `${root}/global-hooks/link`)
    await symlink(`${root}/nowhere`, `${root}/global-hooks/dangling`)
    expect(names(await inDocument())).toEqual(['a', 'b.yaml', 'lib/c.sh', 'link'].map((name) => `global-hooks/${name}`))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', msg: 'ignoring a dangling link', file: `${root}/global-hooks/dangling` },
      { level: 'warn', file: `${root}/global-hooks/lib/functions.sh` },
    ])
  })

  it('[addons D6] names hooks relative to the working directory, and runs them in their own folder', async () => {
    await put('global-hooks/a/b.sh')
    expect(await inDocument()).toEqual([
      {
        name: 'global-hooks/a/b.sh',
        path: `${root}/global-hooks/a/b.sh`,
        directory: `${root}/global-hooks/a`,
        configDirectory: `${root}/global-hooks/a`,
        workingDir: root,
        scope: 'global',
        executor: 'process',
      },
    ])
  })
})

describe('a plain folder', () => {
  it('[addons F1] skips lib folders, documents and files that are not executable', async () => {
    for (const path of ['a.sh', 'lib/b.sh', 'x/lib/c.sh', 'd.yaml', 'e.json', 'f.md', 'g.txt', 'x/h']) await put(path)
    await put('i.sh', 0o644)
    expect(names(await inFolder())).toEqual(['a.sh', 'x/h'])
    expect(lines).toHaveLength(1)
  })

  it('[addons F1] must exist', async () => {
    const nowhere = discoverHooks(files, log, { layout: 'folder', hooksDir: `${root}/nowhere` })
    await expect(nowhere).rejects.toMatchObject({
      code: 'CRB_FILE_NOT_FOUND',
      message: `there is no hooks folder ${root}/nowhere`,
    })
  })

  it('[addons F2] does not follow links to folders', async () => {
    await put('a/b.sh')
    await symlink(root, `${root}/a/loop`)
    expect(names(await inFolder())).toEqual(['a/b.sh'])
  })

  it('[addons F3] runs hooks with --config in the root, and otherwise in their own folder', async () => {
    await put('a/b.sh')
    expect(await inFolder()).toMatchObject([
      { name: 'a/b.sh', directory: `${root}/a`, configDirectory: root, workingDir: root, scope: 'standalone' },
    ])
  })

  it('[addons T1] recognises hooks as functions by their import, whatever their mode', async () => {
    await put('a.mjs', 0o644, `import { defineHook } from 'carabiner/script-hooks'\n`)
    await put('b.ts', 0o755, `import { defineHook } from "carabiner/hooks"\n`)
    await put('c.js', 0o755, '#!/usr/bin/env node\n')
    await put('d.js', 0o644, 'export const shared = 1\n')
    expect((await inFolder()).map(({ name, executor }) => `${name} ${executor}`)).toEqual([
      'a.mjs worker',
      'b.ts worker',
      'c.js process',
    ])
  })
})
