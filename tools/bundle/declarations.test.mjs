import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { rollUp } from './declarations.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'declarations-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The files that the roll-up writes for the entry `kube/public`. */
function rolled(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'in', name)), { recursive: true })
    writeFileSync(join(folder, 'in', name), text)
  }
  rollUp(join(folder, 'in'), { kube: 'kube/public' }, join(folder, 'out'))
  const read = (name) => readFileSync(join(folder, 'out', name), 'utf8')
  return { entry: read('kube.d.ts'), kube: read('types/kube.d.ts'), read }
}

it('keeps what the entry reaches, with its documentation, and leaves out the rest', () => {
  const { entry, kube } = rolled({
    'kube/public.d.ts': `export { make } from './make.ts';\n`,
    'kube/make.d.ts': `import type { Options } from './options.ts';\n/** Makes it. */\nexport declare function make(options: Options): void;\nexport declare function unused(): void;\n`,
    'kube/options.d.ts': `export interface Options {\n    readonly size: number;\n}\nexport interface Other {\n}\n`,
  })
  expect(entry).toBe(`export { make } from './types/kube.js'\n`)
  expect(kube).toContain('/** Makes it. */\nexport declare function make(options: Options): void;')
  expect(kube).toContain('export interface Options')
  expect(kube).not.toMatch(/unused|Other/)
})

it('gives declarations of the same name different names, and follows aliases and import types', () => {
  const { entry, kube } = rolled({
    'kube/public.d.ts': `export type { Options as OneOptions } from './one.ts';\nexport * from './two.ts';\n`,
    'kube/one.d.ts': `export interface Options {\n    readonly one: import("./three.ts").Three;\n}\n`,
    'kube/two.d.ts': `import { Options as One } from './one.ts';\nexport interface Options extends One {\n    Options: One['one'];\n}\n`,
    'kube/three.d.ts': `export declare class Three {\n}\n`,
  })
  const [, own, base, used] = /interface (\S+) extends (\S+) \{\n {4}Options: (\S+)\['one'\]/.exec(kube)
  expect([own, base].toSorted()).toEqual(['Options', 'Options$1'])
  expect(used).toBe(base)
  const exported = (name, as) => (name === as ? name : `${name} as ${as}`)
  expect(entry).toContain(`type ${exported(base, 'OneOptions')}`)
  expect(entry).toContain(exported(own, 'Options'))
  expect(kube).toContain('readonly one: Three;')
})

it('imports from other rooms and does not take the names of globals', () => {
  const { kube, read } = rolled({
    'kube/public.d.ts': `export type { Watch } from './watch.ts';\n`,
    'kube/watch.d.ts': `import type { Event } from '../runtime/event.ts';\nexport interface Watch {\n    next(): Promise<Event>;\n}\n`,
    'runtime/event.d.ts': `export interface Event {\n    readonly at: Date;\n}\n`,
  })
  expect(kube).toContain(`import { Event } from './runtime.js'`)
  expect(read('types/runtime.d.ts')).toContain('readonly at: Date;')
})

it('refuses what it does not know', () => {
  const files = { 'kube/public.d.ts': `export * as all from './one.ts';\n`, 'kube/one.d.ts': 'export {};\n' }
  expect(() => rolled(files)).toThrow('"export * as" is not supported')
})
