/** The Node.js modules that the program loads before it changes engine flags are those the operator needs anyway. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { nodeModules } from '../../src/cli/node-modules.ts'
import { start } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-node-modules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Loaded by the first file of the program, small, or deliberately loaded late like HTTP/2 and its dependencies. */
const others = new Set(['v8', 'vm', 'fs/promises', 'os', 'process', 'util/types', 'http2', 'zlib'])

/** Names of loaded modules, without internal ones. */
const loaded =
  "process.moduleLoadList.map((name) => name.replace('NativeModule ', '')).filter((name) => builtinModules.includes(name) && !name.startsWith('_'))"

it('preloads exactly the Node.js modules the operator needs', async () => {
  const kubeconfig = join(folder, 'kubeconfig')
  const sandbox = start(['sandbox', '--port', '0', '--kubeconfig', kubeconfig])
  await sandbox.line(/sandbox is ready/)
  // Disables preloading and records which modules are loaded without it.
  const recorder = join(folder, 'recorder.cjs')
  const note = join(folder, 'note.json')
  writeFileSync(
    recorder,
    `const { builtinModules } = require('node:module')
    process.getBuiltinModule = () => undefined
    process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify(${loaded})))`,
  )
  const operator = start(['run', '--install', '--kubeconfig', kubeconfig, '--listen-port', '0'], {
    NODE_OPTIONS: `--require ${recorder}`,
  })
  await operator.line(/carabiner is ready/)
  operator.interrupt()
  await operator.ended
  sandbox.interrupt()
  await sandbox.ended
  const needed = JSON.parse(readFileSync(note, 'utf8')) as string[]
  expect(nodeModules.filter((name) => !needed.includes(name))).toEqual([])

  const program = `const { builtinModules } = require('node:module')
    for (const name of ${JSON.stringify(nodeModules)}) process.getBuiltinModule(name)
    console.log(JSON.stringify(${loaded}))`
  const early = JSON.parse(execFileSync(process.execPath, ['--eval', program], { encoding: 'utf8' })) as string[]
  expect(needed.filter((name) => !early.includes(name) && !others.has(name))).toEqual([])
})
