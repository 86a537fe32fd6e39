/** The modules of Node that the program loads before it changes flags of the engine are those an operator comes to load anyway. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { nodeModules } from '../../src/cli/node-modules.ts'
import { start } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-node-modules-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Loaded before by the program's first file, small, or meant to come late as HTTP/2 is, with what it brings. */
const others = new Set(['v8', 'vm', 'fs/promises', 'os', 'process', 'util/types', 'http2', 'zlib'])

/** Names of modules, without those that are Node's own affair. */
const loaded =
  "process.moduleLoadList.map((name) => name.replace('NativeModule ', '')).filter((name) => builtinModules.includes(name) && !name.startsWith('_'))"

it('what is loaded early is needed, and what is needed is loaded early', async () => {
  const kubeconfig = join(folder, 'kubeconfig')
  const sandbox = start(['sandbox', '--port', '0', '--kubeconfig', kubeconfig])
  await sandbox.line(/sandbox is ready/)
  // Takes the list away from the program, and notes what it comes to load without it.
  const witness = join(folder, 'witness.cjs')
  const note = join(folder, 'note.json')
  writeFileSync(
    witness,
    `const { builtinModules } = require('node:module')
    process.getBuiltinModule = () => undefined
    process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify(${loaded})))`,
  )
  const operator = start(['run', '--install', '--kubeconfig', kubeconfig, '--listen-port', '0'], {
    NODE_OPTIONS: `--require ${witness}`,
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
