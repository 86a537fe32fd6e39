import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../patch/operation.ts'
import { changeOf, withPreviousForInvalid } from './change.ts'
import { patchConfigData, readConfigData } from './data.ts'

const keys = ['nodeExporter', 'b']
const add = (path: string, value: number): Operation => ({ op: 'add', path, value })

describe('readConfigData', () => {
  it('reads sections as YAML, and flags', () => {
    const data = {
      global: 'project: shop\n',
      nodeExporter: 'port: 9100\nhosts: [a]',
      nodeExporterEnabled: 'true',
      bEnabled: 'false',
      nodeExporterMaintenance: 'NoResourceReconciliation',
    }
    expect(readConfigData(data, keys)).toEqual({
      sections: { global: { project: 'shop' }, nodeExporter: { port: 9100, hosts: ['a'] } },
      flags: { nodeExporter: true, b: false },
      problems: {},
      unknown: ['nodeExporterMaintenance'],
    })
  })

  it('disables a module whose section is false, even against its flag', () => {
    expect(readConfigData({ b: 'false' }, keys)).toMatchObject({ flags: { b: false }, sections: {}, problems: {} })
    expect(readConfigData({ b: 'false', bEnabled: 'true' }, keys).flags).toEqual({ b: false })
    expect(readConfigData({ b: '', nodeExporter: '{}' }, keys)).toMatchObject({ sections: { b: {}, nodeExporter: {} } })
  })

  it('names the key and the problem without quoting the section', () => {
    expect(
      readConfigData({ global: '- hidden', nodeExporter: 'a: [hidden', b: 'hidden', bEnabled: 'maybe' }, keys).problems,
    ).toEqual({
      global: 'expected a map of values, found array',
      nodeExporter: expect.stringMatching(/^line:1: (?!.*hidden)/),
      b: 'expected a map of values, or true or false, found string',
      bEnabled: 'expected true or false, found "maybe"',
    })
  })

  it('keeps the previous state of invalid parts', () => {
    const before = { sections: { nodeExporter: { a: 1 }, b: { c: 1 } }, flags: { b: false } }
    const read = readConfigData({ nodeExporter: '[]', b: 'c: 2', bEnabled: 'maybe', global: 'x: 1' }, keys)
    expect(withPreviousForInvalid(before, read, keys)).toEqual({
      sections: { global: { x: 1 }, nodeExporter: { a: 1 }, b: { c: 1 } },
      flags: { b: false },
    })
  })
})

it('changeOf lists global values, module values and flags separately', () => {
  const none = { sections: {}, flags: {} }
  expect(changeOf(none, { sections: { b: {}, global: {} }, flags: {} })).toBeUndefined()
  expect(changeOf({ sections: { b: { x: 1 } }, flags: { b: true } }, none)).toEqual({
    global: false,
    modules: ['b'],
    flags: ['b'],
  })
  expect(changeOf(none, { sections: { global: { x: 1 } }, flags: {} })).toEqual({
    global: true,
    modules: [],
    flags: [],
  })
})

describe('patchConfigData', () => {
  it('changes only the current section of the owner', () => {
    const data = { b: '# kept\nx: 1', nodeExporter: 'list: [1]\n' }
    const patch = { operations: [add('/nodeExporter/list/-', 2), add('/nodeExporter/port', 3)], flags: {} }
    expect(patchConfigData(data, 'nodeExporter', patch, 'ns/n')).toEqual({
      b: '# kept\nx: 1',
      nodeExporter: 'list:\n- 1\n- 2\nport: 3\n',
    })
    expect(patchConfigData({}, 'global', { operations: [add('/global/a', 1)], flags: {} }, 'ns/n')).toEqual({
      global: 'a: 1\n',
    })
  })

  it('sets and removes flags, and keeps a module disabled when its section replaces false', () => {
    const flags = { bEnabled: true, nodeExporterEnabled: undefined }
    expect(patchConfigData({ nodeExporterEnabled: 'true' }, 'global', { operations: [], flags }, 'ns/n')).toEqual({
      bEnabled: 'true',
    })
    expect(patchConfigData({ b: 'false' }, 'b', { operations: [add('/b/x', 1)], flags: {} }, 'ns/n')).toEqual({
      b: 'x: 1\n',
      bEnabled: 'false',
    })
  })

  it('refuses operations that cannot be applied, and invalid sections', () => {
    const patch = { operations: [{ op: 'remove', path: '/b/x' } as const], flags: {} }
    expect(() => patchConfigData({}, 'b', patch, 'ns/n')).toThrow(/^ConfigMap ns\/n: remove "\/b\/x" fails/)
    expect(() => patchConfigData({ b: '[' }, 'b', patch, 'ns/n')).toThrow(
      /^ConfigMap ns\/n cannot be used: b: line:1: /,
    )
  })
})
