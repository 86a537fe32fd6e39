import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime } from '../../../runtime/real/index.ts'
import type { Module } from '../discovery/module.ts'
import { decideEnabled, type EnablingFlags } from './decide.ts'
import { runEnabledScript } from './script.ts'

const runtime = createRealRuntime({ log: { level: 'error', write: () => {} } })
const { files } = runtime
let root = ''

beforeEach(async () => {
  root = await files.makeTemporary('enabled-')
})
afterEach(() => files.remove(root))

function module(name: string, enabledScript?: string): Module {
  return { name, key: name, order: 1, folder: name, path: root, enabledScript, chart: undefined }
}

const nothingSaid: EnablingFlags = { byDefault: true, static: {}, dynamic: {}, config: {} }

describe('decideEnabled', () => {
  it('uses the source with the highest precedence', async () => {
    const flags = {
      byDefault: false,
      static: { b: true, c: true, d: true },
      dynamic: { c: false, d: false },
      config: { d: true },
    }
    const decisions = await decideEnabled(
      ['a', 'b', 'c', 'd'].map((name) => module(name)),
      flags,
      () => Promise.reject(),
    )
    expect(decisions.map(({ module: { name }, enabled, by }) => [name, enabled, by])).toEqual([
      ['a', false, 'default'],
      ['b', true, 'static'],
      ['c', false, 'dynamic'],
      ['d', true, 'config'],
    ])
  })

  it('runs the script only of enabled modules, with the enabled modules before them', async () => {
    const asked: unknown[] = []
    const modules = [module('a'), module('b', '/b'), module('c', '/c'), module('d', '/d')]
    const decisions = await decideEnabled(
      modules,
      { ...nothingSaid, config: { c: false } },
      async ({ name }, before) => {
        asked.push([name, before])
        return name === 'd'
      },
    )
    expect(asked).toEqual([
      ['b', ['a']],
      ['d', ['a']],
    ])
    expect(decisions.map(({ enabled, by }) => [enabled, by])).toEqual([
      [true, 'default'],
      [false, 'script'],
      [false, 'config'],
      [true, 'default'],
    ])
  })
})

describe('askEnabledScript', () => {
  const { signal } = new AbortController()

  async function ask(script: string, more: { timeout?: number } = {}): Promise<boolean> {
    await files.write(`${root}/enabled`, `#!/usr/bin/env bash\n${script}\n`, { mode: 0o755 })
    const env = { PATH: process.env['PATH'] ?? '', INHERITED: 'yes' }
    const options = { env, workingDir: '/addons', tmpDir: `${root}/tmp`, signal, ...more }
    const values = { values: '{"global":{"enabledModules":["a"]}}', configValues: '{"global":{}}' }
    return runEnabledScript(runtime, module('web', `${root}/enabled`), values, options)
  }

  it('reads true or false, ignoring blanks', async () => {
    expect(await ask('echo " true " > $MODULE_ENABLED_RESULT')).toBe(true)
    expect(await ask('echo false > $MODULE_ENABLED_RESULT; echo because > $MODULE_ENABLED_REASON')).toBe(false)
    const left = readdirSync(`${root}/tmp`, { recursive: true, encoding: 'utf8' })
    expect(left.filter((path) => path.includes('run-'))).toEqual([])
  })

  it('passes values, working directory and environment', async () => {
    const checks = [
      'grep -q enabledModules $VALUES_PATH',
      '[[ $(cat $CONFIG_VALUES_PATH) == \'{"global":{}}\' ]]',
      '[[ $WORKING_DIR == /addons && $INHERITED == yes && -e enabled ]]',
      'echo true > $MODULE_ENABLED_RESULT',
    ]
    expect(await ask(`set -e\n${checks.join('\n')}`)).toBe(true)
  })

  it.each([
    ['exit 0', /wrote "" to MODULE_ENABLED_RESULT, not true or false/],
    ['echo True > $MODULE_ENABLED_RESULT', /wrote "True" to/],
    ['echo true > $MODULE_ENABLED_RESULT; echo no rights >&2; exit 3', /exited with code 3: no rights/],
    ['kill -9 $$', /was ended by signal SIGKILL/],
  ])('fails for any other result: %s', async (script, message) => {
    await expect(ask(script)).rejects.toMatchObject({
      code: 'CRB_ENABLED_SCRIPT_FAILED',
      message: expect.stringMatching(message),
    })
    await expect(ask(script)).rejects.toThrow(new RegExp(`^module web: the program ${root}/enabled `))
  })

  it('kills a script that exceeds the timeout', async () => {
    await expect(ask('sleep 60', { timeout: 50 })).rejects.toThrow(/took longer than 50 ms/)
  })
})
