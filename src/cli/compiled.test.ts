import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codePath, loadCompiled, scriptOf } from './compiled.ts'

describe('loadCompiled', () => {
  let folder: string
  let path: string
  const write = (body: string) =>
    writeFileSync(path, `(function (exports, require, module, __filename, __dirname) {${body}})`)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'compiled-'))
    path = join(folder, 'program.cjs')
    write('exports.name = require("node:path").basename(__filename)')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('runs a file with a valid code cache', () => {
    writeFileSync(codePath(path), scriptOf(path).createCachedData())
    expect(loadCompiled(path)).toEqual({ name: 'program.cjs' })
  })

  it('returns undefined for a file without a code cache or with a cache that V8 rejects', () => {
    expect(loadCompiled(path)).toBeUndefined()
    writeFileSync(codePath(path), scriptOf(path).createCachedData())
    // Another source text: V8 would find the same text in its in-memory cache.
    write('exports.name = "another, longer program than the one that was compiled then"')
    expect(loadCompiled(path)).toBeUndefined()
    write('exports.name = "a third"')
    writeFileSync(codePath(path), 'no code')
    expect(loadCompiled(path)).toBeUndefined()
  })
})
