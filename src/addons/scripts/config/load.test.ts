import { chmod } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRealRuntime } from '../../../runtime/real/index.ts'
import { createSimulation, type ProcessScript } from '../../../runtime/simulated/index.ts'
import type { HookLayout } from '../discovery/discover.ts'
import { discoverHooks } from '../discovery/discover.ts'
import { invalidHooks, loadHooks } from './load.ts'

const lines: string[] = []
const runtime = createRealRuntime({ log: { level: 'info', write: (line) => lines.push(line) } })
const { files, log } = runtime
const options = {
  env: { PATH: process.env['PATH'] ?? '', INHERITED: 'yes' },
  jq: {},
  functionConfig: () => Promise.reject(new Error('no workers here')),
}
let root = ''

beforeEach(async () => {
  root = await files.makeTemporary('loading-')
  lines.length = 0
})
afterEach(() => files.remove(root))

async function put(path: string, content: string): Promise<void> {
  await files.makeDirectory(`${root}/${path}`.replace(/\/[^/]*$/, ''))
  await files.write(`${root}/${path}`, content)
  await chmod(`${root}/${path}`, 0o755)
}

async function load(layout: HookLayout['layout'] = 'folder') {
  const place: HookLayout = layout === 'folder' ? { layout, hooksDir: root } : { layout, workingDir: root }
  return loadHooks(runtime, await discoverHooks(files, log, place), options)
}

const problemsOf = async (): Promise<readonly string[]> =>
  (await load()).invalid.flatMap(({ file, problems }) => problems.map((problem) => `${file.name}: ${problem}`))

describe('loadHooks', () => {
  it('[addons C1, Z10] runs each hook once with --config, and keeps the order', async () => {
    const hook = `#!/bin/sh\necho "$0 $*" >> ${root}/runs.txt\necho '{"onStartup": 1}'\n`
    // The later ones are faster.
    await put('a', hook.replace('#!/bin/sh\n', '#!/bin/sh\nsleep 0.1\n'))
    for (const name of ['b', 'c/d', 'e']) await put(name, hook)
    const { hooks } = await load()
    expect(hooks.map(({ name }) => name)).toEqual(['a', 'b', 'c/d', 'e'])
    const runs = (await files.readText(`${root}/runs.txt`)).trim().split('\n').toSorted()
    expect(runs).toEqual(['a', 'b', 'c/d', 'e'].map((name) => `${root}/${name} --config`))
  })

  it.each([
    ['document', 'global-hooks/x', '/global-hooks/x'],
    ['folder', 'global-hooks/x', ''],
  ] as const)('[addons C2, F3] sets the working directory and WORKING_DIR: %s', async (layout, folder, expected) => {
    await put(
      `${folder}/a.sh`,
      `#!/bin/sh\necho "$PWD $WORKING_DIR $INHERITED" > ${root}/seen.txt\necho '{"onStartup": 1}'\n`,
    )
    await load(layout)
    expect(await files.readText(`${root}/seen.txt`)).toBe(`${root}${expected} ${root} yes\n`)
  })

  it('[addons C3] reads standard output and logs standard error', async () => {
    await put('a.sh', `#!/bin/sh\necho 'noise' >&2\necho '{"onStartup": 7}'\n`)
    const { hooks } = await load()
    expect(hooks[0]?.config.onStartup).toBe(7)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'noise', hook: 'a.sh', output: 'stderr' }])
  })

  it('[addons C5] reports all failed hooks in one message', async () => {
    await put('a.sh', '#!/bin/sh\necho first >&2\necho second >&2\nexit 3\n')
    await put('b.sh', '#!/bin/sh\necho \'{"onStartup": "x"}\'\n')
    await put('c.sh', '#!/bin/sh\necho \'{"onStartup": 1}\'\n')
    await put('d.sh', '#!/bin/sh\necho \'{"onStartup"\'\n')
    const { hooks, invalid } = await load()
    expect(hooks.map(({ name }) => name)).toEqual(['c.sh'])
    const error = invalidHooks(invalid, 4)
    expect(error.code).toBe('CRB_HOOK_INVALID')
    expect(error.message).toMatch(
      /^3 of 4 hooks are invalid:\n {2}a\.sh: --config exited with code 3\n {4}first\n {4}second\n {2}b\.sh: onStartup: must be a number, not "x"\n {2}d\.sh: the --config output is neither/,
    )
  })

  it('[addons C7] passes an empty standard input', async () => {
    await put('a.sh', `#!/bin/sh\ncat\necho '{"onStartup": 1}'\n`)
    expect((await load()).hooks).toHaveLength(1)
  })

  it('accepts a long configuration in one line', async () => {
    const names = Array.from({ length: 3000 }, (_, index) => `namespace-${index}`)
    const config = { onKubernetesEvent: [{ kind: 'pod', namespaceSelector: { matchNames: names } }] }
    await put('a.sh', `#!/bin/sh\necho '${JSON.stringify(config)}'\n`)
    expect((await load()).hooks[0]?.config.kubernetes[0]?.namespaces).toEqual({ of: 'names', names })
  })
})

describe('[addons R8] the error of a file that cannot be started', () => {
  it('names a missing #! line', async () => {
    await put('a.sh', 'echo "{}"\n')
    await put('b.sh', '\ufeff#!/bin/sh\necho "{}"\n')
    expect(await problemsOf()).toEqual([
      'a.sh: has no #! line, so its interpreter is unknown; begin it with #!/usr/bin/env bash, for example',
      'b.sh: has no #! line, so its interpreter is unknown (remove the byte order mark at its beginning); begin it with #!/usr/bin/env bash, for example',
    ])
  })

  it('names a carriage return at the end of the first line', async () => {
    await put('a.sh', '#!/usr/bin/env bash\r\necho "{}"\r\n')
    expect(await problemsOf()).toEqual([
      `a.sh: its #! line ends with a carriage return, so the system looks for the interpreter "/usr/bin/env bash\\r"; save it with Unix line endings: sed -i 's/\\r$//' ${root}/a.sh`,
    ])
  })

  it('names a missing interpreter', async () => {
    await put('a.sh', '#!/opt/nowhere/python\n')
    expect(await problemsOf()).toEqual([
      expect.stringContaining('its first line names the interpreter "/opt/nowhere/python", which does not exist'),
    ])
  })
})

it('runs at most eight hooks with --config at the same time', async () => {
  const simulation = createSimulation(7)
  const { runtime: virtual } = simulation
  let [now, most] = [0, 0]
  simulation.script('hook', async ({ runtime: { clock }, print }) => {
    most = Math.max(most, ++now)
    await clock.sleep(100)
    now--
    print('{"onStartup": 1}')
    return 0
  })
  const { hooks } = await simulation.run(async () => {
    for (let index = 10; index < 40; index++) {
      await virtual.files.makeDirectory(`/hooks/${index}`)
      await virtual.files.write(`/hooks/${index}/hook`, '#!/x', { mode: 0o755 })
    }
    const found = await discoverHooks(virtual.files, virtual.log, { layout: 'folder', hooksDir: '/hooks' })
    return loadHooks(virtual, found, options)
  })
  expect(hooks.map(({ name }) => name)).toEqual(Array.from({ length: 30 }, (_, index) => `${index + 10}/hook`))
  expect(most).toBe(8)
  expect(virtual.clock.monotonic()).toBe(400)
})

it('[addons C5] kills a hook whose --config run takes longer than 30 s, and names it', async () => {
  const simulation = createSimulation(7)
  const { runtime: virtual } = simulation
  simulation.script('stuck', async ({ runtime: { clock } }) => {
    await clock.sleep(1e9)
    return 0
  })
  simulation.script('good', async ({ print }) => {
    print('{"onStartup": 1}')
    return 0
  })
  const { hooks, invalid } = await simulation.run(async () => {
    await virtual.files.makeDirectory('/hooks')
    for (const name of ['stuck', 'good']) await virtual.files.write(`/hooks/${name}`, '#!/x', { mode: 0o755 })
    const found = await discoverHooks(virtual.files, virtual.log, { layout: 'folder', hooksDir: '/hooks' })
    return loadHooks(virtual, found, options)
  })
  expect(hooks.map(({ name }) => name)).toEqual(['good'])
  expect(invalidHooks(invalid, 2).message).toBe(
    '1 of 2 hooks are invalid:\n  stuck: --config was ended because it took longer than 30000 ms',
  )
  expect(virtual.clock.monotonic()).toBe(30_000)
  const waits = 'startup waits for the configuration of a hook'
  expect(simulation.logs.filter(({ message }) => message === waits)).toMatchObject([
    { level: 'warn', time: virtual.clock.now() - 25_000, fields: { hook: 'stuck', limit: '30000 ms' } },
  ])
})

it('reports a hook that could not be started, without a later warning', async () => {
  const simulation = createSimulation(7)
  const { runtime: virtual } = simulation
  const spawn = () => {
    throw new Error('spawn EMFILE')
  }
  const { invalid } = await simulation.run(async () => {
    await virtual.files.makeDirectory('/hooks')
    await virtual.files.write('/hooks/a', '#!/x', { mode: 0o755 })
    const found = await discoverHooks(virtual.files, virtual.log, { layout: 'folder', hooksDir: '/hooks' })
    const loaded = await loadHooks({ ...virtual, processes: { ...virtual.processes, spawn } }, found, options)
    await virtual.clock.sleep(60_000)
    return loaded
  })
  expect(invalid.map(({ problems }) => problems)).toEqual([['spawn EMFILE']])
  expect(simulation.logs).toEqual([])
})

describe('loading many hooks', () => {
  const good = async ({ print }: { print(text: string): void }) => {
    print('{"onStartup": 1}')
    return 0
  }

  async function loadVirtual(scripts: Readonly<Record<string, ProcessScript>>) {
    const simulation = createSimulation(7)
    const { runtime: virtual } = simulation
    const asked: string[] = []
    for (const [name, script] of Object.entries(scripts))
      simulation.script(name, (process) => {
        asked.push(name)
        return script(process)
      })
    const loaded = await simulation.run(async () => {
      await virtual.files.makeDirectory('/hooks')
      for (const name of Object.keys(scripts)) await virtual.files.write(`/hooks/${name}`, '#!/x', { mode: 0o755 })
      const found = await discoverHooks(virtual.files, virtual.log, { layout: 'folder', hooksDir: '/hooks' })
      return loadHooks(virtual, found, options)
    })
    return { ...loaded, asked, took: virtual.clock.monotonic() }
  }

  const names = Array.from({ length: 20 }, (_, index) => `hook-${index + 10}`)
  const scripts: Readonly<Record<string, ProcessScript>> = Object.fromEntries(names.map((name) => [name, good]))

  it('[addons C1] runs each successful hook only once', async () => {
    const { hooks, asked } = await loadVirtual(scripts)
    expect(hooks.map(({ name }) => name)).toEqual(names)
    expect(asked.toSorted()).toEqual(names)
  })

  it('[addons C5] reports failures like those of a hook that runs alone', async () => {
    const { hooks, invalid, took } = await loadVirtual({
      ...scripts,
      fails: async ({ printError }) => {
        printError('why\n')
        return 3
      },
      wrong: async ({ print }) => {
        print('{"onStartup": "x"}')
        return 0
      },
    })
    expect(hooks).toHaveLength(20)
    expect(invalidHooks(invalid, 22).message).toBe(
      '2 of 22 hooks are invalid:\n  fails: --config exited with code 3\n    why\n  wrong: onStartup: must be a number, not "x"',
    )
    expect(took).toBe(0)
  })

  it('[addons C5] waits one more second for hanging hooks, and the full timeout for slow ones', async () => {
    const { hooks, invalid, took } = await loadVirtual({
      ...scripts,
      slow: async ({ runtime: { clock }, print }) => {
        await clock.sleep(20_000)
        print('{"onStartup": 1}')
        return 0
      },
      stuck: async ({ runtime: { clock } }) => {
        await clock.sleep(1e9)
        return 0
      },
    })
    expect(hooks.map(({ name }) => name)).toEqual([...names, 'slow'])
    expect(invalidHooks(invalid, 22).message).toContain(
      'stuck: --config was ended because it took longer than 30000 ms',
    )
    expect(took).toBe(31_000)
  })
})
