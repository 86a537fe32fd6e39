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

  it('runs a file whose code was kept', () => {
    writeFileSync(codePath(path), scriptOf(path).createCachedData())
    expect(loadCompiled(path)).toEqual({ name: 'program.cjs' })
  })

  it('leaves it to others to load a file without code, or with code the engine does not take', () => {
    expect(loadCompiled(path)).toBeUndefined()
    writeFileSync(codePath(path), scriptOf(path).createCachedData())
    // Not the text that was compiled: this thread would know that one without looking at the code.
    write('exports.name = "another, longer program than the one that was compiled then"')
    expect(loadCompiled(path)).toBeUndefined()
    write('exports.name = "a third"')
    writeFileSync(codePath(path), 'no code')
    expect(loadCompiled(path)).toBeUndefined()
  })
})
