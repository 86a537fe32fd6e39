/** Function hooks in real worker threads: discovery, configuration, runs, crashes and restarts. */
import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { invalidHooks, loadHooks } from '../../src/addons/scripts/config/load.ts'
import { discoverHooks } from '../../src/addons/scripts/discovery/discover.ts'
import { HookRunner } from '../../src/addons/scripts/run/runner.ts'
import type { RunRequest, RunResult } from '../../src/addons/scripts/run/types.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'

const lines: string[] = []
const runtime = createRealRuntime({ log: { level: 'debug', write: (line) => lines.push(line) } })
const env = { PATH: process.env['PATH'] ?? '', INHERITED: 'yes' }
const log = { binding: 'b', queue: 'main', task: 't', event: 'e' }
let folder = ''
let runner: HookRunner

beforeEach(async () => {
  folder = await runtime.files.makeTemporary('functions-')
  runner = new HookRunner(runtime, { tmpDir: `${folder}/tmp`, env, jq: {} })
  lines.length = 0
})
afterEach(async () => {
  await runner.close()
  await runtime.files.remove(folder)
})

function put(name: string, config: string, run: string): void {
  const text = `import { defineHook } from 'carabiner/script-hooks'\nexport default defineHook({ config: ${config}, async run({ contexts, metrics, objects, signal }) { ${run} } })\n`
  writeFileSync(`${folder}/${name}`, text)
}

async function load() {
  const found = await discoverHooks(runtime.files, runtime.log, { layout: 'folder', hooksDir: folder })
  return loadHooks(runtime, found, { env, jq: {}, functionConfig: (file) => runner.functionConfig(file) })
}

async function run(body: string, request: Partial<RunRequest> = {}): Promise<RunResult> {
  put('hook.mjs', '{ onStartup: 1 }', body)
  const [hook] = (await load()).hooks
  if (hook === undefined) throw new Error('the hook was not loaded')
  return runner.run({ hook, contexts: '[{"binding":"onStartup"}]', log, ...request })
}

describe('a hook that is a function', () => {
  it('[addons T2] supports all bindings and reports configuration errors', async () => {
    put('a.mjs', '{ kubernetes: [{ name: "pods", kind: "Pod", jqFilter: ".status.podIP" }] }', '')
    put('b.js', '{ kubernetes: [{ kid: "Pod" }] }', '')
    writeFileSync(`${folder}/c.mjs`, `import 'carabiner/script-hooks'\n`)
    writeFileSync(`${folder}/d.mjs`, `import 'carabiner/hooks'\nimport './nowhere.mjs'\n`)
    const { hooks, invalid } = await load()
    expect(hooks.map(({ name, config }) => [name, config.version, config.kubernetes[0]?.name])).toEqual([
      ['a.mjs', 'v1', 'pods'],
    ])
    expect(invalid.map(({ file, problems }) => `${file.name}: ${problems.join('; ')}`)).toEqual([
      'b.js: kubernetes[0].kind: is required; kubernetes[0].kid: is not known (did you mean kind?)',
      expect.stringContaining('c.mjs: Error: the module has no default export with "config"'),
      expect.stringMatching(/^d\.mjs: .*nowhere\.mjs/),
    ])
  })

  it('is found and runs when it imports carabiner/hooks, the name until 0.3', async () => {
    const text = `import { defineHook } from 'carabiner/hooks'\nexport default defineHook({ config: { onStartup: 1 }, run() {} })\n`
    writeFileSync(`${folder}/old.mjs`, text)
    const { hooks, invalid } = await load()
    expect([hooks.map(({ name }) => name), invalid]).toEqual([['old.mjs'], []])
  })

  it('[addons T1] in TypeScript runs if Node.js strips types, and otherwise reports a remedy', async () => {
    put('hook.ts', '{ onStartup: 1 as number }', 'const count: number = contexts.length; metrics.set("count", count)')
    const { hooks, invalid } = await load()
    const [hook] = hooks
    if ('typescript' in process.features) {
      expect(invalid).toEqual([])
      if (hook === undefined) throw new Error('the hook was not loaded')
      const { failure, metrics } = await runner.run({ hook, contexts: '[{}]', log })
      expect({ failure, metrics }).toMatchObject({ failure: undefined, metrics: [{ name: 'count', value: 1 }] })
    } else {
      expect(invalidHooks(invalid, 1)).toMatchObject({
        code: 'CRB_HOOK_INVALID',
        message: expect.stringMatching(
          /hook\.ts: this Node\.js .* cannot load TypeScript; use Node\.js 22\.18 or newer, or compile/,
        ),
      })
    }
  })

  it('[addons T2] receives contexts and environment and returns metrics, patches, responses and log lines', async () => {
    const result = await run(`
      console.log(contexts[0].binding + ' ' + process.env.INHERITED + ' ' + (process.env.WORKING_DIR === '${folder}'))
      metrics.set('up', 1, { labels: { a: 'b' } })
      objects.mergePatch({ kind: 'Pod', namespace: 'shop', name: 'web' }, { metadata: { labels: { a: 'b' } } })
      return { allowed: false, message: 'no' }`)
    expect(result).toMatchObject({
      exit: { code: 0 },
      metrics: [{ action: 'set', name: 'up', value: 1, labels: { a: 'b' } }],
      patches: [{ operation: 'MergePatch', kind: 'Pod', namespace: 'shop', name: 'web' }],
      answers: { admission: '{"allowed":false,"message":"no"}', conversion: '' },
    })
    expect(result.failure).toBeUndefined()
    while (lines.length === 0) await runtime.clock.sleep(1)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'onStartup yes true', hook: 'hook.mjs', ...log, output: 'stdout' },
    ])
  })

  it('[addons T2] keeps its thread from run to run', async () => {
    put(
      'hook.mjs',
      '{ onStartup: 1 }',
      'globalThis.count = (globalThis.count ?? 0) + 1; metrics.set("count", globalThis.count)',
    )
    const [hook] = (await load()).hooks
    if (hook === undefined) throw new Error('the hook was not loaded')
    await runner.run({ hook, contexts: '[]', log })
    expect((await runner.run({ hook, contexts: '[]', log })).metrics).toMatchObject([{ value: 2 }])
  })

  it('[addons T2] that throws fails, but its allowed effects are applied', async () => {
    const result = await run(`
      metrics.set('up', 1)
      objects.deleteInBackground({ kind: 'Pod', name: 'a' })
      objects.deleteInBackground({ kind: 'Pod', name: 'b' }, { ignoreHookError: true })
      throw new Error('not today')`)
    expect(result).toMatchObject({ exit: { code: 1 }, metrics: [], patches: [{ name: 'b' }] })
    expect(result.failure).toMatchObject({
      reason: 'Threw',
      message: expect.stringMatching(/not today[\s\S]*hook\.mjs/),
    })
  })

  it.each([
    ['exits its thread', 'process.exit(3)', /ended itself with code 3/],
    [
      'crashes in the background',
      'setTimeout(() => { throw new Error("later") }, 1); await new Promise(() => {})',
      /crashed: later/,
    ],
    ['runs out of memory', 'const a = []; for (;;) a.push(new Array(1e6).fill(a.length))', /crashed: .*memory/],
  ])('[addons T3] that %s does not affect other hooks', async (_, body, message) => {
    const other = run(body)
    expect((await other).failure).toMatchObject({ reason: 'Threw', message: expect.stringMatching(message) })
    expect((await run('metrics.set("up", 1)')).failure).toBeUndefined()
  })

  it('[addons T3] that never ends is terminated and can run again', async () => {
    const stopping = new AbortController()
    const started = runtime.clock.monotonic()
    const running = run('if (contexts.length === 1) for (;;);', { signal: stopping.signal })
    while (runtime.clock.monotonic() - started < 300) await runtime.clock.sleep(20)
    stopping.abort()
    expect((await running).failure?.reason).toBe('Stopped')
    expect((await run('metrics.set("up", 1)')).failure).toBeUndefined()
  })
})
