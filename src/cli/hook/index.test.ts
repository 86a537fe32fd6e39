/** The commands in a simulation: functions play the hooks. */
import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../../test/cli/context.ts'
import { createSimulation, type ProcessScript } from '../../runtime/simulated/index.ts'
import { command } from './index.ts'

const files: Readonly<Record<string, string>> = {
  '/secret.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: shop}\ndata: {key: c2VjcmV0}\n',
  '/two.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: shop}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {x: "1"}\n',
  '/changed.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {x: "2"}\n',
  '/contexts.json': '{"binding":"onStartup"}',
  '/validating.json': '[{"binding":"a.b.c","type":"Validating","review":{"request":{"uid":"1"}}}]',
  '/conversion.json': '[{"binding":"up","type":"Conversion","review":{"request":{"objects":[{}]}}}]',
}

const config = {
  configVersion: 'v1',
  onStartup: 1,
  schedule: [{ name: 'nightly', crontab: '0 3 * * *', includeSnapshotsFrom: ['maps'] }],
  kubernetes: [
    { name: 'secrets', kind: 'Secret', executeHookOnEvent: ['Added'] },
    {
      name: 'maps',
      kind: 'configmaps',
      jqFilter: '.data',
      keepFullObjectsInMemory: false,
      includeSnapshotsFrom: ['maps'],
    },
  ],
}

/** Returns the binding contexts of the hook and the output of the command. */
async function run(
  args: readonly string[],
  left: Readonly<Record<string, string>> = {},
  code = 0,
  ran: () => void = () => undefined,
) {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const { context, written, code: exit } = recordedContext(runtime)
  let contexts: unknown
  const script: ProcessScript = async ({ spec, runtime: own, print }) => {
    if (spec.args?.[0] === '--config') {
      print(JSON.stringify(config))
      return 0
    }
    ran()
    contexts = JSON.parse(await own.files.readText(spec.env['BINDING_CONTEXT_PATH'] ?? ''))
    for (const [variable, text] of Object.entries(left)) await own.files.write(spec.env[variable] ?? '', text)
    print('working\n')
    return code
  }
  await simulation.run(async () => {
    await runtime.files.makeDirectory('/hooks')
    await runtime.files.write('/hooks/a.sh', '#!/bin/sh\n', { mode: 0o755 })
    simulation.script('/hooks/a.sh', script)
    for (const [path, text] of Object.entries(files)) await runtime.files.write(path, text)
    const shown = [{ name: 'b.sh', bindings: [{ type: 'schedule', name: 'x', on: '@daily', queue: 'main' }] }]
    await runtime.http.listen({ socket: '/operator' }, async ({ target }) => ({
      status: target === '/hook/list.json' ? 200 : 404,
      headers: {},
      body: new TextEncoder().encode(JSON.stringify(shown)),
    }))
    await command(context)
      .exitOverride()
      .parseAsync([...args, ...(args[0] === 'list' ? [] : ['--hooks-dir', '/hooks'])], { from: 'user' })
  })
  return { contexts, exit: exit() ?? 0, text: written() }
}

describe('hook run', () => {
  it('runs the hook for an event', async () => {
    const { contexts } = await run(['run', 'a', '--event', 'added', '--object', '/secret.yaml', '--binding', 'secrets'])
    expect(contexts).toMatchObject([
      { binding: 'secrets', type: 'Event', watchEvent: 'Added', object: { kind: 'Secret' } },
    ])
  })

  it('creates Synchronization and snapshots from files, in order and with filters', async () => {
    const objects = [{ filterResult: { x: '1' } }, { filterResult: null }]
    const list = await run(['run', 'a', '--synchronization', '--binding', 'maps', '--objects', '/two.yaml'])
    expect(list.contexts).toEqual([{ binding: 'maps', type: 'Synchronization', objects, snapshots: { maps: objects } }])
    const time = await run(['run', 'a', '--schedule', 'nightly', '--objects', '/two.yaml'])
    expect(time.contexts).toEqual([{ binding: 'nightly', type: 'Schedule', snapshots: { maps: objects } }])
  })

  it.each([
    ['modified', [{ filterResult: { x: '2' } }, { filterResult: null }]],
    ['deleted', [{ filterResult: null }]],
  ])('snapshots contain the state after an object was %s', async (event, maps) => {
    const args = ['--binding', 'maps', '--event', event, '--object', '/changed.yaml', '--objects', '/two.yaml']
    const { contexts } = await run(['run', 'a', ...args])
    expect(contexts).toMatchObject([{ filterResult: { x: '2' }, snapshots: { maps } }])
  })

  it('runs the hook for the start', async () => {
    expect((await run(['run', 'a', '--startup'])).contexts).toEqual([{ binding: 'onStartup' }])
  })

  it('prints a note when the operator would not run the hook', async () => {
    const { text } = await run(['run', 'a', '--event', 'deleted', '--object', '/secret.yaml', '--binding', 'secrets'])
    expect(text).toContain(
      'note the operator does not run the hook for Deleted: it is not in executeHookOnEvent of secrets\n',
    )
  })

  it('shows patches and metrics without secrets', async () => {
    const { text } = await run(['run', 'a', '--startup'], {
      KUBERNETES_PATCH_PATH: `{"operation":"CreateOrUpdate","object":${JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: 'shop' }, stringData: { key: 'hush' } })}}
{"operation":"MergePatch","kind":"secret","name":"key","namespace":"shop","mergePatch":{"stringData":{"key":"hush"}}}
{"operation":"JQPatch","kind":"ConfigMap","name":"a","namespace":"shop","jqFilter":".data.x = 1"}`,
      METRICS_PATH: '{"name":"n","set":3,"labels":{"a":"b"}}\n{"group":"g","action":"expire"}',
    })
    expect(text).toContain('| working\na.sh succeeded after')
    expect(text).toContain('CreateOrUpdate Secret shop/key\n')
    expect(text).toContain('MergePatch secret shop/key\n')
    expect(text).toContain('    jqFilter: .data.x = 1\n')
    expect(text).toContain('2 metrics:\n  set n{a="b"} 3\n  expire group g\n')
    expect(text).not.toContain('hush')
  })

  it('fails on conflicting metrics, as the operator does', async () => {
    const { exit, text } = await run(['run', 'a', '--startup'], {
      METRICS_PATH: '{"name":"n","set":3}{"name":"n","add":1}',
    })
    expect(exit).toBe(1)
    expect(text).toContain('metric n is already a gauge')
  })

  it.each([
    ['', 'hook a.sh left no answer in $VALIDATING_RESPONSE_PATH'],
    ['{"allow":true}', 'hook a.sh answered without "allowed": true or false'],
  ])('fails on the invalid webhook response %j', async (answer, reason) => {
    const { exit, text } = await run(['run', 'a', '--binding-context', '/validating.json'], {
      VALIDATING_RESPONSE_PATH: answer,
    })
    expect([exit, text]).toEqual([1, expect.stringContaining(reason)])
  })

  it('succeeds when the response denies the request, but not when objects are missing in it', async () => {
    const left = { VALIDATING_RESPONSE_PATH: '{"allowed":false}' }
    expect((await run(['run', 'a', '--binding-context', '/validating.json'], left)).exit).toBe(0)
    const failed = { CONVERSION_RESPONSE_PATH: '{"failedMessage":"no"}' }
    expect((await run(['run', 'a', '--binding-context', '/conversion.json'], failed)).exit).toBe(0)
    const few = { CONVERSION_RESPONSE_PATH: '{"convertedObjects":[]}' }
    const { exit, text } = await run(['run', 'a', '--binding-context', '/conversion.json'], few)
    expect([exit, text]).toEqual([1, expect.stringContaining('got 1 objects and answered with 0')])
  })

  it('does not run the hook when the cluster for --apply is not reachable', async () => {
    const args = ['run', 'a', '--startup', '--apply', '--kubeconfig', '/nowhere']
    const ran: string[] = []
    await expect(run(args, {}, 0, () => ran.push('ran'))).rejects.toThrow('/nowhere')
    expect(ran).toEqual([])
  })

  it('fails when the hook fails, and prints data with -o', async () => {
    const { exit, text } = await run(['run', 'a', '--startup', '-o', 'json'], {}, 3)
    expect(exit).toBe(1)
    expect(JSON.parse(text)).toMatchObject({ succeeded: false, exit: { code: 3 }, output: [{ text: 'working' }] })
  })

  it.each([
    [[], 'no trigger for the hook'],
    [['--startup', '--synchronization'], '--synchronization and --startup exclude each other'],
    [['--synchronization'], 'hook a.sh has several kubernetes bindings: secrets, maps'],
    [['--event', 'gone', '--object', '/secret.yaml'], '--event gone: expected added, modified or deleted'],
    [['--event', 'added', '--object', '/two.yaml', '--binding', 'maps'], '/two.yaml: must contain one object, not 2'],
    [['--schedule', 'daily'], 'hook a.sh has no schedule binding daily; its bindings are nightly'],
    [['--binding-context', '/contexts.json'], '/contexts.json: must contain an array of binding contexts'],
  ])('rejects %j', async (args, message) => {
    await expect(run(['run', 'a', ...args])).rejects.toThrow(message)
  })

  it('lists the hooks of the folder when a name is wrong', async () => {
    await expect(run(['run', 'b', '--startup'])).rejects.toThrow('there is no hook b in /hooks; its hooks are a.sh')
  })
})

it('hook run loads no other hook of the folder', async () => {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const { context, written } = recordedContext(runtime)
  await simulation.run(async () => {
    await runtime.files.makeDirectory('/hooks')
    for (const name of ['a.sh', 'b.sh']) {
      await runtime.files.write(`/hooks/${name}`, '#!/bin/sh\n', { mode: 0o755 })
      simulation.script(`/hooks/${name}`, async ({ print }) => {
        if (name === 'b.sh') throw new Error('b.sh was asked')
        print('{"onStartup": 1}')
        return 0
      })
    }
    await command(context)
      .exitOverride()
      .parseAsync(['run', 'a', '--startup', '--hooks-dir', '/hooks'], { from: 'user' })
  })
  expect(written()).toContain('a.sh succeeded')
})

describe('hook list', () => {
  it('shows one row per binding of a folder', async () => {
    const { text } = await run(['list', '/hooks'])
    expect(text.split('\n').map((line) => line.split(/ {3,}/).slice(0, 3))).toEqual([
      ['HOOK', 'TYPE', 'BINDING'],
      ['a.sh', 'onStartup', 'onStartup'],
      ['a.sh', 'schedule', 'nightly'],
      ['a.sh', 'kubernetes', 'secrets'],
      ['a.sh', 'kubernetes', 'maps'],
      [''],
    ])
    expect((await run(['list', '/hooks', '-o', 'name'])).text).toBe('a.sh\n')
  })

  it('shows more columns with -o wide', async () => {
    const { text } = await run(['list', '/hooks', '-o', 'wide'])
    expect(text.split('\n').map((line) => line.split(/ {3,}/).slice(5))).toEqual([
      ['DETAILS'],
      [],
      ['snapshots maps'],
      [],
      ['filter .data; snapshots maps'],
      [],
    ])
  })

  it('lists the hooks of the running operator without a folder', async () => {
    const { text } = await run(['list', '--debug-unix-socket', '/operator'])
    expect(text).toBe('HOOK   TYPE       BINDING   ON       QUEUE\nb.sh   schedule   x         @daily   main\n')
  })

  it('suggests to pass a folder when no operator runs', async () => {
    await expect(run(['list', '--debug-unix-socket', '/nowhere'])).rejects.toMatchObject({
      code: 'CRB_OPERATOR_NOT_FOUND',
      remedy: expect.stringContaining('carabiner hook list FOLDER'),
    })
  })
})

it('hook new rejects names that are not valid label values', async () => {
  await expect(run(['new', 'a.sh'])).rejects.toThrow('not a valid name for a hook: "a.sh"')
})
