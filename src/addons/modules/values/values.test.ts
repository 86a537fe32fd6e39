import { describe, expect, it } from 'vitest'
import type { Json } from '../../../runtime/json.ts'
import { mergeLayers } from './merge.ts'
import { Values } from './values.ts'

const none = { sections: {}, flags: {} }

function valuesWith(
  config: Record<string, Record<string, Json>> = {},
  statics: Record<string, Record<string, Json>> = {},
) {
  const values = new Values({ sections: statics, flags: {} })
  values.setConfig({ sections: config, flags: {} })
  return values
}

function patch(values: Values, owner: string, ...operations: Json[]): void {
  values.apply(values.review(owner, { values: JSON.stringify(operations), configValues: '' }))
}

const own = (values: Values, key = 'm') => values.effective(key)[key]
const add = (path: string, value: Json) => ({ op: 'add', path, value })
const remove = (path: string) => ({ op: 'remove', path })

describe('layers of values', () => {
  it('merge maps recursively and replace other values', () => {
    expect(
      mergeLayers({ a: { x: 1, y: [1, 2] }, b: 1, c: {} }, undefined, { a: { y: [3], z: null }, b: { n: 1 }, c: 2 }),
    ).toEqual({ a: { x: 1, y: [3], z: null }, b: { n: 1 }, c: 2 })
    const hostile = mergeLayers({ a: 1 }, JSON.parse('{"__proto__": {"polluted": true}}'))
    expect(JSON.stringify(hostile)).toBe('{"a":1,"__proto__":{"polluted":true}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('contain for a module its own and global values, and the enabled modules', () => {
    const values = valuesWith(
      { global: { project: 'shop' }, m: { port: 2 }, other: { secret: 1 } },
      { global: { region: 'x' }, m: { port: 1, host: 'h' } },
    )
    values.setEnabledModules(['a', 'm'])
    patch(values, 'global', add('/global/ip', '10.0.0.1'))
    patch(values, 'm', add('/m/ready', true))
    const { values: all, configValues } = values.files('m')
    expect(JSON.parse(all)).toEqual({
      global: { project: 'shop', region: 'x', ip: '10.0.0.1', enabledModules: ['a', 'm'] },
      m: { port: 2, host: 'h', ready: true },
    })
    expect(JSON.parse(configValues)).toEqual({ global: { project: 'shop' }, m: { port: 2 } })
    expect(JSON.parse(values.files('m', ['a']).values)).toMatchObject({ global: { enabledModules: ['a'] } })
  })

  it('contain for global hooks only global values; missing sections are empty maps', () => {
    expect(valuesWith({ m: { a: 1 } }).files('global')).toEqual({
      values: '{"global":{"enabledModules":[]}}',
      configValues: '{"global":{}}',
    })
    expect(valuesWith().files('m')).toEqual({
      values: '{"global":{"enabledModules":[]},"m":{}}',
      configValues: '{"global":{},"m":{}}',
    })
  })
})

describe('values patches of hooks', () => {
  it('stay applied when the layers below change', () => {
    const values = valuesWith({ m: { a: 1, b: 1, deep: { x: 1 } } })
    patch(values, 'm', add('/m/a', 2), remove('/m/b'), add('/m/deep/y', 2))
    values.setConfig({ sections: { m: { a: 5, b: 5, c: 5 } }, flags: {} })
    expect(own(values)).toEqual({ a: 2, c: 5, deep: { y: 2 } })
    values.setConfig(none)
    expect(own(values)).toEqual({ a: 2, deep: { y: 2 } })
  })

  it('add elements to the current list of another layer', () => {
    const values = valuesWith({ m: { list: ['a'] } })
    patch(values, 'm', add('/m/list/-', 'x'))
    patch(values, 'm', add('/m/list/-', 'y'))
    patch(values, 'm', add('/m/list/0', 'first'))
    expect(own(values)).toEqual({ list: ['first', 'a', 'x', 'y'] })
    values.setConfig({ sections: { m: { list: ['a', 'b'] } }, flags: {} })
    expect(own(values)).toEqual({ list: ['first', 'a', 'b', 'x', 'y'] })
  })

  it('are merged into a list that a hook created', () => {
    const values = valuesWith()
    patch(values, 'm', add('/m/list', ['a']))
    patch(values, 'm', add('/m/list/-', 'b'), add('/m/list/-', 'c'))
    patch(values, 'm', remove('/m/list/0'))
    expect(own(values)).toEqual({ list: ['b', 'c'] })
    expect(values.patches('m')).toEqual([add('/m/list', ['b', 'c'])])
  })

  it('do not grow when the same operations are repeated', () => {
    const values = valuesWith({ m: { given: ['a'] } })
    patch(values, 'm', add('/m/own', []))
    for (let run = 0; run < 200; run++)
      patch(
        values,
        'm',
        add('/m/count', run),
        add('/m/own/-', 1),
        remove('/m/own/0'),
        add('/m/given/0', 1),
        remove('/m/given/0'),
      )
    expect(own(values)).toEqual({ given: ['a'], count: 199, own: [] })
    expect(values.patches('m').length).toBeLessThan(260)
  })

  it('accept single operations and arrays; test and copy record nothing that could fail later', () => {
    const values = valuesWith({ global: { a: 1 }, m: { b: 2 } })
    const text = `{"op":"test","path":"/m/b","value":2}
      [{"op":"copy","from":"/global/a","path":"/m/a"},{"op":"move","from":"/m/b","path":"/m/c"}] []`
    values.apply(values.review('m', { values: text, configValues: '' }))
    expect(own(values)).toEqual({ a: 1, c: 2 })
    values.setConfig(none)
    expect(own(values)).toEqual({ a: 1, c: 2 })
  })

  it('are skipped while they cannot be applied', () => {
    const values = valuesWith({ m: { deep: {} } })
    patch(values, 'm', add('/m/deep/a', 1))
    values.setConfig({ sections: { m: { deep: 'text' } }, flags: {} })
    expect(own(values)).toEqual({ deep: 'text' })
    values.setConfig({ sections: { m: { deep: { b: 1 } } }, flags: {} })
    expect(own(values)).toEqual({ deep: { a: 1, b: 1 } })
  })

  it('are dropped with the module', () => {
    const values = valuesWith()
    patch(values, 'm', add('/m/a', 1))
    values.forget('m')
    expect(own(values)).toEqual({})
  })

  it('of global hooks may set flags of modules', () => {
    const values = valuesWith()
    patch(values, 'global', add('/nodeExporterEnabled', true), add('/bEnabled', false), add('/cEnabled', true))
    patch(values, 'global', remove('/cEnabled'), remove('/dEnabled'))
    expect(values.dynamicFlags).toEqual({ nodeExporter: true, b: false })
  })

  it.each([
    ['m', [{ op: 'replace', path: '/m/a', value: 1 }], /operation 0 \(replace "\/m\/a"\) is refused: use add/],
    [
      'm',
      [add('/m/b', 1), add('/global/a', 1)],
      /operation 1 \(add "\/global\/a"\) is refused: this hook may only change \/m\./,
    ],
    ['m', [add('', {})], /operation 0 \(add ""\) is refused/],
    ['m', [{ op: 'move', from: '/global/a', path: '/m/b' }], /move "\/m\/b"\) is refused/],
    ['m', [add('/bEnabled', true)], /add "\/bEnabled"\) is refused/],
    ['global', [add('/m/a', 1)], /may only change \/global and flags such as \/nodeExporterEnabled/],
    ['global', [add('/mEnabled', 'yes')], /set a flag with add and true or false/],
    ['m', [remove('/m/none')], /remove "\/m\/none" fails: \/m\/none does not exist/],
    ['m', [add('/m/none/x', 1)], /\/m\/none does not exist/],
    ['m', [add('/m', [1])], /m must stay a map of values/],
    ['m', [{ op: 'test', path: '/m/a', value: 'guess' }], /test "\/m\/a" finds a different value\.$/],
    ['m', [{ op: 'add', path: '/m/a' }], /operation 0: add \/m\/a has no "value"/],
    ['m', ['text'], /operation 0: expected an object\.$/],
  ] as const)('[addons Q6] are refused as a whole: %s %j', (owner, operations, message) => {
    const values = valuesWith({ m: { a: 'secret' } })
    const texts = { values: JSON.stringify(operations), configValues: '' }
    expect(() => values.review(owner, texts)).toThrow(message)
    expect(() => values.review(owner, texts)).not.toThrow(/secret/)
    expect(values.patches(owner)).toEqual([])
  })

  it('[addons Q6] are refused for both files, each by the variable of its name', () => {
    const values = valuesWith()
    const bad = (file: 'values' | 'configValues') => () =>
      values.review('m', { values: '', configValues: '', [file]: '[{]' })
    expect(bad('values')).toThrow(/^VALUES_JSON_PATCH_PATH: is not JSON/)
    expect(bad('configValues')).toThrow(/^CONFIG_VALUES_JSON_PATCH_PATH: is not JSON/)
    const missing = JSON.stringify([remove('/m/a')])
    expect(() => values.review('m', { values: '', configValues: missing })).toThrow(
      /^CONFIG_VALUES_JSON_PATCH_PATH: remove/,
    )
  })

  it('can build on the ConfigMap patch of the same run', () => {
    const values = valuesWith()
    const config = JSON.stringify([add('/m/deep', {})])
    const reviewed = values.review('m', { values: JSON.stringify([add('/m/deep/a', 1)]), configValues: config })
    expect(own(values)).toEqual({})
    values.setConfig({ sections: { m: { deep: {} } }, flags: {} })
    values.apply(reviewed)
    expect(own(values)).toEqual({ deep: { a: 1 } })
  })
})
