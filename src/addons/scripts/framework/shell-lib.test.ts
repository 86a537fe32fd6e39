import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const framework = fileURLToPath(new URL('.', import.meta.url))
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'framework-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly status: number | null
  readonly lines: readonly string[]
  readonly stderr: string
}

function hook(body: string, contexts: readonly object[], args: readonly string[] = []): Ran {
  const script = join(folder, 'hook.sh')
  const path = join(folder, 'contexts.json')
  writeFileSync(script, `#!/usr/bin/env bash\nsource $FRAMEWORK_DIR/shell_lib.sh\n${body}\nhook::run "$@"\n`)
  writeFileSync(path, JSON.stringify(contexts))
  const { status, stdout, stderr } = spawnSync('bash', [script, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', FRAMEWORK_DIR: framework, BINDING_CONTEXT_PATH: path },
  })
  return { status, lines: stdout.split('\n').filter((line) => line !== ''), stderr }
}

const says = (...names: string[]) => names.map((name) => `${name}() { echo "${name}"; }`).join('\n')

describe('[addons L1] hook::run', () => {
  it('prints the configuration', () => {
    const body = `__config__() { echo 'configVersion: v1'; }`
    expect(hook(body, [], ['--config'])).toMatchObject({ status: 0, lines: ['configVersion: v1'] })
  })

  it('exits after printing the configuration, and fails without __config__', () => {
    const body = `__config__() { echo 'configVersion: v1'; }\nhook::run "$@"\necho 'not printed'`
    expect(hook(body, [], ['--config'])).toMatchObject({ status: 0, lines: ['configVersion: v1'] })
    const { status, stderr } = hook('', [], ['--config'])
    expect([status, stderr]).toEqual([1, `ERROR: ${folder}/hook.sh defines no function __config__\n`])
  })

  const handlersByContext: readonly (readonly [object, readonly string[]])[] = [
    [{ binding: 'onStartup' }, ['__on_startup']],
    [{ binding: 's', type: 'Synchronization' }, ['__on_kubernetes::s::synchronization', '__on_kubernetes::s']],
    [
      { binding: 'a', type: 'Event', watchEvent: 'Added' },
      ['__on_kubernetes::a::added', '__on_kubernetes::a::added_or_modified', '__on_kubernetes::a'],
    ],
    [
      { binding: 'm', type: 'Event', watchEvent: 'Modified' },
      ['__on_kubernetes::m::modified', '__on_kubernetes::m::added_or_modified', '__on_kubernetes::m'],
    ],
    [{ binding: 'd', type: 'Event', watchEvent: 'Deleted' }, ['__on_kubernetes::d::deleted', '__on_kubernetes::d']],
    [{ binding: 'g', type: 'Group', groupName: 'all' }, ['__on_group::all']],
    [{ binding: 'nightly', type: 'Schedule' }, ['__on_schedule::nightly']],
    [{ binding: 'q.example.com', type: 'Validating' }, ['__on_validating::q.example.com']],
    [{ binding: 'd.example.com', type: 'Mutating' }, ['__on_mutating::d.example.com']],
    [
      { binding: 'up', type: 'Conversion', fromVersion: 'v1alpha1', toVersion: 'v1' },
      ['__on_conversion::up::v1alpha1::v1', '__on_conversion::up'],
    ],
    [
      { binding: 'g', type: 'Conversion', fromVersion: 'example.com/v1', toVersion: 'example.com/v2' },
      ['__on_conversion::g::example.com.v1::example.com.v2', '__on_conversion::g'],
    ],
    [{ binding: 'hourly' }, ['__on_schedule::hourly']],
    [
      { binding: 'old', resourceEvent: 'update' },
      ['__on_kubernetes::old::modified', '__on_kubernetes::old::added_or_modified', '__on_kubernetes::old'],
    ],
  ]

  it.each([0, 1, 2, 3])(
    'calls the most specific defined handler when the first %i of each kind are missing',
    (missing) => {
      const defined = handlersByContext.map(([, handlers]) => handlers.slice(missing))
      const result = hook(
        says(...new Set(defined.flat()), '__main__'),
        handlersByContext.map(([context]) => context),
      )
      expect(result).toMatchObject({ status: 0, lines: defined.map(([first = '__main__']) => first) })
    },
  )

  it('runs every context in its own subshell with its index and binding', () => {
    const body = `
count=0
blanks() { echo 'not called'; }
__main__() { count=$((count + 1)); echo "$BINDING_CONTEXT_CURRENT_INDEX $BINDING_CONTEXT_CURRENT_BINDING $count"; cat; }`
    const contexts = [{ binding: 'a' }, { binding: 'with blanks', type: 'Schedule' }, { binding: 'c' }]
    expect(hook(body, contexts)).toMatchObject({ status: 0, lines: ['0 a 1', '1 with blanks 1', '2 c 1'] })
  })

  it('names the missing functions when no handler is defined', () => {
    const { status, stderr } = hook('', [{ binding: 'onStartup' }])
    expect([status, stderr]).toEqual([1, 'ERROR: none of these functions is defined: __on_startup __main__\n'])
  })

  it('runs for libraries that source every file of the folder and replace hook::run', () => {
    const body = `
hook::run() {
  for index in 0 1; do
    export BINDING_CONTEXT_CURRENT_INDEX="$index"
    export BINDING_CONTEXT_CURRENT_BINDING=$(context::jq -r '.binding // "unknown"')
    HANDLERS=$(hook::_get_possible_handler_names)
    hook::_run_first_available_handler "\${HANDLERS} __main__"
  done
}
${says('__on_kubernetes::a::added_or_modified', '__main__')}`
    const contexts = [
      { binding: 'a', type: 'Event', watchEvent: 'Added' },
      { binding: 'b', type: 'Schedule' },
    ]
    const lines = ['__on_kubernetes::a::added_or_modified', '__main__']
    expect(hook(body, contexts)).toMatchObject({ status: 0, lines, stderr: '' })
    const failed = hook(`${body}\n__main__() { false; }`, contexts)
    expect([failed.status, failed.lines, failed.stderr.match(/ERROR/g)]).toEqual([1, lines.slice(0, 1), ['ERROR']])
  })

  it('stops at the first failure and prints a stack trace', () => {
    const body = `
inner() { false; echo not here; }
__main__() { echo "$BINDING_CONTEXT_CURRENT_BINDING"; inner; }`
    const { status, lines, stderr } = hook(body, [{ binding: 'a' }, { binding: 'b' }])
    expect([status, lines]).toEqual([1, ['a']])
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'ERROR: command failed with status 1: false',
      `  at inner (${folder}/hook.sh:4)`,
      `  at __main__ (${folder}/hook.sh:5)`,
    ])
    expect(stderr.match(/ERROR/g)).toHaveLength(1)
  })
})

describe('[addons L2] contexts', () => {
  const context = {
    binding: 'pods',
    object: { metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'x', 'a-b': 'y' } }, list: [10, { k: 20 }] },
    yes: true,
    no: false,
    nothing: null,
  }
  const run = (body: string) => hook(`__main__() { ${body}; }`, [{ binding: 'first' }, context].slice(1))

  it('return the value at a path, or fail with --required', () => {
    const values: Readonly<Record<string, string>> = {
      binding: 'pods',
      'object.metadata.name': 'web',
      "object.metadata.labels.'app.kubernetes.io/name'": 'x',
      'object.metadata.labels.a-b': 'y',
      'object.list.0': '10',
      'object.list.1.k': '20',
      'missing.deep': 'null',
    }
    const paths = Object.keys(values)
    const get = (path: string) =>
      `context::get "${path}"; context::get --required "${path}" 2>/dev/null || echo missing`
    const expected = Object.values(values).flatMap((value) => [value, value === 'null' ? 'missing' : value])
    expect(run(paths.map(get).join('; ')).lines).toEqual(expected)
  })

  it('test for existence, true, false and null', () => {
    const word = (test: string) => `${test} && echo 1 || echo 0`
    const tests = [
      'context::has object.metadata',
      'context::has nothing',
      'context::has object.list.1',
      'context::has object.list.5',
      'context::has object.metadata.name.deep',
      'context::is_true yes',
      'context::is_true binding',
      'context::is_false no',
      'context::is_false missing',
      'context::is_null nothing',
      'context::is_null missing',
      'context::is_null yes',
    ]
    expect(run(tests.map(word).join('; ')).lines.join('')).toBe('111001010110')
  })

  it('pass the current context or all contexts to jq', () => {
    const body = `__main__() { context::jq -r '.binding'; context::global::jq -c 'map(.binding)'; }`
    expect(hook(body, [{ binding: 'a' }, { binding: 'b' }]).lines).toEqual(['a', '["a","b"]', 'b', '["a","b"]'])
  })
})
