import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { recordedContext } from '../../test/cli/context.ts'
import { createSimulation } from '../runtime/simulated/index.ts'
import { command as config } from './config/index.ts'
import type { CliContext } from './context.ts'
import { command as global } from './global/index.ts'
import { command as hook } from './hook/index.ts'
import { command as module } from './module/index.ts'
import { command as queue } from './queue/index.ts'
import { command as raw } from './raw/index.ts'

const modules = JSON.stringify([
  { name: 'node-exporter', order: 10, enabled: true, by: 'default' },
  { name: 'web', order: 200, enabled: false, by: 'script' },
  { name: 'new', order: 200 },
])

/** The output of a command when the operator answers each request with its target. */
async function run(make: (context: CliContext) => Command, ...args: readonly string[]): Promise<string> {
  const simulation = createSimulation(1)
  const { runtime } = simulation
  const interrupted = new AbortController()
  const { context, written } = recordedContext(runtime, { signal: interrupted.signal })
  await simulation.run(async () => {
    let asked = 0
    await runtime.http.listen({ socket: '/run/s' }, async ({ method, target, body }) => {
      if (target === '/no') return { status: 404, headers: {}, body: new TextEncoder().encode('there is no /no\n') }
      asked++
      if (asked === 3) interrupted.abort()
      const text =
        target === '/module/list.json' ? modules : `${asked} ${method} ${target} ${new TextDecoder().decode(body)}\n`
      return { status: 200, headers: {}, body: new TextEncoder().encode(text) }
    })
    await make(context)
      .exitOverride()
      .parseAsync([...args, '--debug-unix-socket', '/run/s'], { from: 'user' })
  })
  return written()
}

describe('commands for a running operator', () => {
  it('[addons I5] request queues, snapshots and settings under the names of shell-operator', async () => {
    expect(await run(queue, 'list', '-e', '-o', 'json')).toBe('1 GET /queue/list.json?showEmpty=true \n')
    expect(await run(queue, 'main')).toBe('1 GET /queue/main.text \n')
    expect(await run(hook, 'snapshot', 'deep/a b.sh', '-o', 'yaml')).toBe('1 GET /hook/deep/a%20b.sh/snapshots.yaml \n')
    expect(await run(config, 'list')).toBe('1 GET /config/list.text \n')
    expect(await run(config, 'set', 'log.level', 'debug', '5m')).toBe(
      '1 POST /config/set name=log.level&value=debug&duration=5m\n',
    )
    expect(await run(raw, 'queue/list.text')).toBe('1 GET /queue/list.text \n')
    expect(await run(raw, '/hook/a b ü%20.sh/snapshots.text?x=1')).toBe(
      '1 GET /hook/a%20b%20%C3%BC%20.sh/snapshots.text?x=1 \n',
    )
  })

  it('list modules in a table and show values patches', async () => {
    expect(await run(module, 'list')).toBe(
      [
        'MODULE          ORDER   STATE             BY',
        'node-exporter   10      on                default',
        'web             200     off               script',
        'new             200     not decided yet',
        '',
      ].join('\n'),
    )
    expect(await run(module, 'list', '-o', 'name')).toBe('node-exporter\nweb\nnew\n')
    expect(await run(module, 'patches', 'web', '-o', 'json')).toBe('1 GET /module/web/patches.json \n')
    expect(await run(global, 'patches')).toBe('1 GET /global/patches.text \n')
  })

  it('watch until they are interrupted and print only changes', async () => {
    const shown = await run(queue, 'main', '-w', '-t', '2s')
    expect(shown.split('\n')).toHaveLength(3)
    expect((await run(queue, 'list', '-w', '--watchInterval', '2s')).split('\n')).toHaveLength(3)
  })

  it('report the error of the operator, and a missing operator', async () => {
    await expect(run(raw, '/no')).rejects.toMatchObject({ code: 'CRB_USAGE', message: 'there is no /no' })
    await expect(run(queue, 'main', '-t', 'soon')).rejects.toMatchObject({ code: 'CRB_USAGE' })
  })
})
