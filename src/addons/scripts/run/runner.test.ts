import { existsSync, readdirSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime } from '../../../runtime/real/index.ts'
import { parseConfigText } from '../config/parse.ts'
import type { Hook, HookScope } from '../hook.ts'
import { HookRunner, type RunnerOptions } from './runner.ts'
import type { RunRequest, RunResult } from './types.ts'

const lines: string[] = []
const runtime = createRealRuntime({ log: { level: 'debug', write: (line) => lines.push(line) } })
const { files, clock } = runtime
const log = { binding: 'pods', queue: 'main', task: 't-1', event: 'kubernetes' }
let root = ''
let runners: HookRunner[] = []

beforeEach(async () => {
  root = await files.makeTemporary('running-')
  lines.length = 0
  runners = []
})
afterEach(async () => {
  await Promise.all(runners.map((runner) => runner.close()))
  await files.remove(root)
})

async function hookOf(content: string, scope: HookScope = 'standalone'): Promise<Hook> {
  const directory = `${root}/hooks`
  const path = `${directory}/hook`
  await files.makeDirectory(directory)
  await files.write(path, `#!/bin/bash\n${content}`)
  await chmod(path, 0o755)
  const { config } = parseConfigText('{"onStartup":1}', { scope, jq: {} })
  return {
    name: 'hook',
    path,
    directory,
    configDirectory: root,
    workingDir: root,
    scope,
    executor: 'process',
    config,
  }
}

function runFolders(): readonly string[] {
  return readdirSync(`${root}/tmp`, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('run-'))
}

function createRunner(options: Partial<RunnerOptions> = {}): HookRunner {
  const env = { PATH: process.env['PATH'] ?? '', INHERITED: 'yes' }
  const runner = new HookRunner(runtime, { tmpDir: `${root}/tmp`, env, jq: {}, ...options })
  runners.push(runner)
  return runner
}

async function run(
  content: string,
  request: Partial<RunRequest> & { scope?: HookScope; options?: Partial<RunnerOptions> } = {},
): Promise<RunResult> {
  const { scope, options, ...more } = request
  return createRunner(options).run({ hook: await hookOf(content, scope), contexts: '[]', log, ...more })
}

const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>)
const printed = () => logged().map(({ msg }) => msg)

async function untilGone(path: string): Promise<void> {
  while (existsSync(path)) await clock.sleep(1)
}

describe('run of a hook', () => {
  it('passes the trace context of its span on to the hook', async () => {
    await run('echo "$TRACEPARENT"', { traceparent: '00-1-2-01' })
    await run('echo "[$TRACEPARENT]"')
    expect(printed()).toEqual(['00-1-2-01', '[]'])
  })

  it('keeps the end of what it printed to both streams for its record', async () => {
    const { log: printedEnd } = await run('seq 2000; echo oops >&2; sleep 0.1; exit 1')
    expect(printedEnd?.length).toBe(4000)
    expect(printedEnd).toContain('oops')
  })

  it('[addons X1, R1] has no arguments, an empty standard input, the folder of the hook and the inherited environment', async () => {
    await run('echo "$# $PWD $WORKING_DIR $INHERITED [$(cat)]"')
    expect(printed()).toEqual([`0 ${root}/hooks ${root} yes []`])
  })

  it('[addons E1, E2] of a hook with values finds them as JSON, and empty files for patches', async () => {
    const values = { values: '{"global":{"a":1}}', configValues: '{"global":{}}' }
    await run(
      `cat $BINDING_CONTEXT_PATH; echo
       cat $CONFIG_VALUES_PATH; echo
       cat $VALUES_PATH; echo
       wc -c < $CONFIG_VALUES_JSON_PATCH_PATH
       wc -c < $VALUES_JSON_PATCH_PATH`,
      { scope: 'global', contexts: '[{"binding":"schedule"}]', values },
    )
    expect(printed()).toEqual(['[{"binding":"schedule"}]', '{"global":{}}', '{"global":{"a":1}}', '0', '0'])
  })

  it('[addons E2] returns the content of the patch files', async () => {
    const result = await run(
      `echo '[{"op":"add"}]' > $VALUES_JSON_PATCH_PATH; echo '[1]' > $CONFIG_VALUES_JSON_PATCH_PATH`,
      { scope: 'module' },
    )
    expect(result.valuesPatches).toEqual({ values: '[{"op":"add"}]\n', configValues: '[1]\n' })
    expect((await run('true', { scope: 'module' })).valuesPatches).toEqual({ values: '', configValues: '' })
  })

  it('[addons R1] finds the files of v1 empty, the two names of the admission answer being one file', async () => {
    await run(
      `wc -c < $METRICS_PATH; wc -c < $KUBERNETES_PATCH_PATH; wc -c < $CONVERSION_RESPONSE_PATH; wc -c < $VALIDATING_RESPONSE_PATH
       [ "$VALIDATING_RESPONSE_PATH" = "$ADMISSION_RESPONSE_PATH" ] && echo same; echo "[$VALUES_PATH]"`,
    )
    expect(printed()).toEqual(['0', '0', '0', '0', 'same', '[]'])
  })

  it('[addons E3] can source a library below WORKING_DIR', async () => {
    await files.makeDirectory(`${root}/lib`)
    await files.write(`${root}/lib/functions.sh`, 'greet() { echo "hello $1"; }\n')
    await run('source $WORKING_DIR/lib/functions.sh; greet you')
    expect(printed()).toEqual(['hello you'])
  })

  it('[addons E4] has its own files, readable only by the user of the operator, which are removed afterwards', async () => {
    const runner = createRunner()
    const hook = await hookOf(
      'dirname $METRICS_PATH; stat -c %a $(dirname $METRICS_PATH) $METRICS_PATH; echo left > $(dirname $METRICS_PATH)/more',
    )
    for (let index = 0; index < 2; index++) await runner.run({ hook, contexts: '[]', log })
    const [first, mode, fileMode, second] = printed()
    expect([mode, fileMode]).toEqual(['700', '600'])
    expect(first).not.toBe(second)
    await untilGone(String(first))
    await untilGone(String(second))
    await runner.close()
    expect(runFolders()).toEqual([])
  })

  it('[addons E4] may remove its files itself', async () => {
    const result = await run('rm -r "$(dirname "$BINDING_CONTEXT_PATH")"')
    await Promise.all(runners.map((runner) => runner.close()))
    expect(result.failure).toBeUndefined()
    expect(printed()).toEqual([])
  })

  it('[addons E4] keeps its files when keepTemporaryFiles is set', async () => {
    const result = await run('echo $METRICS_PATH', { contexts: '[1]', options: { keepTemporaryFiles: true } })
    expect(result.failure).toBeUndefined()
    const path = String(printed()[0])
    await clock.sleep(5)
    expect(statSync(path).size).toBe(0)
    expect(await files.readText(path.replace('metrics.json', 'binding-context.json'))).toBe('[1]')
  })

  it('takes contexts from a function that writes them to the file', async () => {
    await run('cat $BINDING_CONTEXT_PATH', { contexts: (path) => files.write(path, '[{"large":1}]') })
    expect(printed()).toEqual(['[{"large":1}]'])
  })
})

describe('results of a run', () => {
  it('[addons R2] are read after success: metrics, patches, answers', async () => {
    const result = await run(`
      echo '{"name":"a","set":1}' > $METRICS_PATH
      echo '{"operation":"DeleteInBackground","kind":"Pod","namespace":"shop","name":"web"}' > $KUBERNETES_PATCH_PATH
      echo '{"allowed":true}' > $VALIDATING_RESPONSE_PATH
      echo '{"convertedObjects":[]}' > $CONVERSION_RESPONSE_PATH`)
    expect(result).toMatchObject({
      exit: { code: 0 },
      metrics: [{ name: 'a', action: 'set', value: 1 }],
      patches: [{ operation: 'DeleteInBackground', kind: 'Pod', namespace: 'shop', name: 'web' }],
      answers: { admission: '{"allowed":true}\n', conversion: '{"convertedObjects":[]}\n' },
    })
    expect(result.failure).toBeUndefined()
  })

  it('[addons R2, Z8] are ignored after a failure, except patches with ignoreHookError', async () => {
    const result = await run(`
      echo '{"name":"a","set":1}' > $METRICS_PATH
      echo '{"allowed":true}' > $VALIDATING_RESPONSE_PATH
      echo '{"operation":"Delete","kind":"Pod","name":"a"}' > $KUBERNETES_PATCH_PATH
      echo '{"operation":"Delete","kind":"Pod","name":"b","ignoreHookError":true}' >> $KUBERNETES_PATCH_PATH
      exit 1`)
    expect(result).toMatchObject({ metrics: [], answers: { admission: '' }, patches: [{ name: 'b' }] })
    expect(result.patches).toHaveLength(1)
    expect(result.failure?.reason).toBe('ExitCode')
  })

  it('[addons P1] warn in one line about keys that are ignored', async () => {
    const { failure } = await run(`
      for i in {1..7}; do echo '{"operation":"Delete","kind":"Pod","name":"a","note":"hunter2"}' >> $KUBERNETES_PATCH_PATH; done`)
    expect(failure).toBeUndefined()
    expect(logged()).toMatchObject([{ level: 'warn', hook: 'hook', binding: 'pods', others: 2 }])
    expect(logged()[0]?.['ignored']).toMatch(/^KUBERNETES_PATCH_PATH\[0\]\.note: is not known and ignored/)
    expect(lines.join('')).not.toContain('hunter2')
  })

  it('[addons R2] make the run a failure when they are malformed', async () => {
    const result = await run(`echo '{"name":"a"' > $METRICS_PATH; echo 'operation: Delet' > $KUBERNETES_PATCH_PATH`)
    expect(result.failure?.reason).toBe('Output')
    expect(result.failure?.message).toMatch(
      /METRICS_PATH: must contain JSON objects[\s\S]*KUBERNETES_PATCH_PATH\[0\]\.operation/,
    )
  })
})

describe('the end of a run', () => {
  it('[addons Q3] is a failure with the end of standard error', async () => {
    const result = await run('echo one >&2; echo two >&2; exit 7')
    expect(result).toMatchObject({
      exit: { code: 7 },
      failure: { reason: 'ExitCode', message: 'exited with code 7: one\ntwo' },
    })
  })

  it('[addons Q3] by a signal is a failure too', async () => {
    expect((await run('kill -9 $$')).failure).toEqual({ reason: 'Signal', message: 'was ended by signal SIGKILL' })
  })

  it('[addons Q3] is a failure when nothing could be started', async () => {
    const hook = await hookOf('')
    await files.remove(hook.path)
    const result = await createRunner().run({ hook, contexts: '[]', log })
    expect(result).toMatchObject({ exit: undefined, failure: { reason: 'NotStarted' } })
    expect(result.failure?.message).toContain(hook.path)
  })

  it('[addons R3] comes by SIGTERM after the timeout', async () => {
    const result = await run('trap "echo ending; exit 3" TERM; echo up; sleep 60 & wait', { timeout: 300 })
    expect(result.failure).toEqual({ reason: 'Timeout', message: 'was ended because it took longer than 300 ms' })
    expect(printed()).toEqual(['up', 'ending'])
  })

  it('[addons R3] comes to the whole group of processes when the operator stops', async () => {
    const stopping = new AbortController()
    const running = run('sleep 1000 & echo $!; wait', { signal: stopping.signal })
    while (lines.length === 0) await clock.sleep(1)
    stopping.abort()
    expect((await running).failure?.reason).toBe('Stopped')
    const child = Number(printed()[0])
    while (isAlive(child)) await clock.sleep(1)
  })

  it('[addons R4] does not wait for a daemon that holds its output', async () => {
    const result = await run('sleep 30 & echo $!; echo done')
    expect(result).toMatchObject({ exit: { code: 0 } })
    expect(result.failure).toBeUndefined()
    expect(result.duration).toBeLessThan(10_000)
    const [daemon, word] = printed()
    expect(word).toBe('done')
    expect(isAlive(Number(daemon))).toBe(true)
    process.kill(Number(daemon))
  })
})

describe('output', () => {
  it('[addons R5] is logged line by line with hook, binding and queue', async () => {
    await run('echo one; echo two >&2; printf three')
    expect(logged()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ msg: 'one', hook: 'hook', ...log, output: 'stdout', level: 'info' }),
        expect.objectContaining({ msg: 'two', output: 'stderr' }),
        expect.objectContaining({ msg: 'three', output: 'stdout' }),
      ]),
    )
  })

  it('[addons R5] is cut where a line is longer than 10,000 characters', async () => {
    await run(`head -c 1000000 /dev/zero | tr '\\0' x; echo; echo next`)
    expect(printed()).toEqual([`${'x'.repeat(10_000)} [cut]`, 'next'])
  })

  it('[addons R5] of more than a few megabytes is omitted, and the log says how much', async () => {
    await run(`yes "$(printf 'x%.0s' {1..999})" | head -c 12000000; echo last; exit 1`)
    const omissions = logged().filter(({ msg }) => String(msg).endsWith(' MB omitted'))
    const said = logged().filter(({ msg }) => msg === 'the hook prints more than its log takes: lines are omitted')
    const written = logged().length - omissions.length - said.length
    const omitted = omissions.reduce((sum, { lines }) => sum + Number(lines), 0)
    expect(omissions.at(-1)).toMatchObject({ level: 'warn', hook: 'hook', ...log })
    expect(said).toHaveLength(1)
    expect(written).toBeLessThan(6_000)
    expect(written + omitted).toBe(12_001)
  })

  it('[addons R6] of JSON is merged into the log on request', async () => {
    const script = `echo '{"level":"warning","msg":"careful","pod":"web-1","time":"12:00","queue":"mine"}'; echo '{broken'`
    await run(script, { options: { mergeJsonLines: true } })
    expect(logged()).toMatchObject([
      {
        level: 'warn',
        msg: 'careful',
        pod: 'web-1',
        hookTime: '12:00',
        hook: 'hook',
        queue: 'main',
        hookQueue: 'mine',
      },
      { level: 'info', msg: '{broken' },
    ])
    lines.length = 0
    await run(script)
    expect(printed()[0]).toBe('{"level":"warning","msg":"careful","pod":"web-1","time":"12:00","queue":"mine"}')
  })

  it('[addons R5] without end does not fill the memory; the end of standard error is kept', async () => {
    const before = process.memoryUsage().rss
    const quiet = createRealRuntime({ log: { level: 'error', write: () => undefined } })
    const runner = new HookRunner(quiet, { tmpDir: `${root}/tmp`, env: { PATH: process.env['PATH'] ?? '' }, jq: {} })
    const hook = await hookOf(
      'yes 0123456789012345678901234567890123456789 | head -c 100000000 >&2; echo >&2; echo last >&2; exit 1',
    )
    const { failure } = await runner.run({ hook, contexts: '[]', log })
    await runner.close()
    expect(failure?.message.length).toBeLessThan(2_100)
    expect(failure?.message).toMatch(/\nlast$/)
    expect(process.memoryUsage().rss - before).toBeLessThan(80_000_000)
  })
})

describe('files of a run', () => {
  const pathOf = (result: RunResult | undefined): string => {
    expect(result?.failure).toBeUndefined()
    return String(printed().at(-1))
  }

  it('[addons E4] are empty for the next run, and removed when no run follows', async () => {
    const runner = createRunner()
    const hook = await hookOf('cat $BINDING_CONTEXT_PATH; cat $METRICS_PATH; echo leak > $METRICS_PATH; exit 1')
    await runner.run({ hook, contexts: '["a rather long context"]', log })
    await runner.run({ hook, contexts: '["short"]', log })
    expect(printed().filter((line) => line !== undefined)).toEqual(['["a rather long context"]', '["short"]'])
    while (runFolders().length > 0) await clock.sleep(5)
  })

  it('[addons E4, R4] cannot be written by a daemon that has left the process group', async () => {
    const runner = createRunner()
    const going = `${root}/go`
    const leaving = await hookOf(`
      setsid bash -c 'until [ -e ${going} ]; do sleep 0.01; done; echo stale > "$METRICS_PATH"; touch ${going}ne' >/dev/null 2>&1 </dev/null &
      echo $METRICS_PATH`)
    const first = pathOf(await runner.run({ hook: leaving, contexts: '[]', log }))
    const waiting = await hookOf(`touch ${going}; until [ -e ${going}ne ]; do sleep 0.01; done; echo $METRICS_PATH`)
    const next = await runner.run({ hook: waiting, contexts: '[]', log })
    expect(pathOf(next)).not.toBe(first)
    expect(next.metrics).toEqual([])
  })

  it('[addons E4] are not used again while a process of the run is alive', async () => {
    const runner = createRunner()
    const quiet = await hookOf('sleep 5 >/dev/null 2>&1 </dev/null & echo $METRICS_PATH')
    const first = pathOf(await runner.run({ hook: quiet, contexts: '[]', log }))
    const second = pathOf(await runner.run({ hook: quiet, contexts: '[]', log }))
    expect(second).not.toBe(first)
  })
})

it('[addons R7] says that the disk is full when it is', async () => {
  const full = {
    ...runtime,
    files: {
      ...files,
      makePrivate: async () => {
        throw new Error('cannot use "/tmp/x": no space left on the device')
      },
    },
  }
  const runner = new HookRunner(full, { tmpDir: `${root}/tmp`, env: {}, jq: {} })
  expect(await runner.run({ hook: await hookOf(''), contexts: '[]', log })).toMatchObject({
    exit: undefined,
    failure: { reason: 'Files', message: 'cannot use "/tmp/x": no space left on the device' },
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
