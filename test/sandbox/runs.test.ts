/** Runs of all three surfaces on one cluster: one list, and each run followed by its key from the list to log line, event, span and journal. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import { parseYaml, toYaml } from '../../src/kube/manifest/index.ts'
import { connect } from '../../src/kube/network/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { type Running, run, start } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-runs-'))
const kubeconfig = join(folder, 'kubeconfig')
const socket = join(folder, 'debug.socket')
const programs: Running[] = []

function started(...[args, env]: Parameters<typeof start>): Running {
  const program = start(args, env)
  programs.push(program)
  return program
}

interface SeenSpan {
  readonly name: string
  readonly traceId: string
  readonly key: string
}

interface ExportedSpan {
  readonly name: string
  readonly traceId: string
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
}

/** Takes spans at `/v1/traces` and answers hooks at every other path. */
async function listen(): Promise<{ readonly url: string; readonly spans: SeenSpan[]; readonly server: Server }> {
  const spans: SeenSpan[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      if (request.url === '/v1/traces') spans.push(...spansIn(body))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, server }
}

function spansIn(body: string): readonly SeenSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: readonly { scopeSpans: readonly { spans: readonly ExportedSpan[] }[] }[]
  }
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .map(({ name, traceId, attributes }) => {
      const key = attributes.find((attribute) => attribute.key === 'run')?.value.stringValue ?? ''
      return { name, traceId, key }
    })
}

/** The gate holds writes of all users except the operator. */
function kubeconfigOf(user: string): string {
  const config = parseYaml(readFileSync(kubeconfig, 'utf8'), kubeconfig) as { users: { user: object }[] }
  const users = config.users.map((one) => ({
    ...one,
    user: { ...one.user, as: user, 'as-groups': ['system:masters'] },
  }))
  const path = join(folder, user)
  writeFileSync(path, toYaml({ ...config, users }))
  return path
}

function writeHook(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${text}`, { mode: 0o755 })
  return path
}

interface Listed {
  readonly key: string
  readonly surface: string
  readonly hook: string
  readonly outcome: string
  readonly traceId?: string
  readonly keptIn: string
}

const place = ['--kubeconfig', kubeconfig, '--debug-unix-socket', socket]

async function list(...more: readonly string[]): Promise<readonly Listed[]> {
  return JSON.parse((await run(['runs', '-A', '-o', 'json', ...place, ...more])).stdout) as readonly Listed[]
}

async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await ask()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

let collector: Awaited<ReturnType<typeof listen>>
let operator: Running
let said = ''
/** The first ended run of each hook. */
const runs = new Map<string, Listed>()
let cluster: Awaited<ReturnType<typeof connect>>

beforeAll(async () => {
  collector = await listen()
  mkdirSync(join(folder, 'hooks'))
  const config = `{"configVersion": "v1", "onStartup": 1}`
  const script = `test "$1" = --config && echo '${config}' && exit\necho "began $TRACEPARENT"\ntest -e ${folder}/second || { touch ${folder}/second; echo "no luck" >&2; exit 3; }\n`
  writeHook('hooks/begin.sh', script)
  const ticket = writeHook('ticket.sh', `echo "no ticket for $HOOK_POINT"\nexit 4\n`)
  const deployers = join(folder, 'deployers.yaml')
  const hook = { name: 'ticket', points: ['BeforeReconcile'], process: { command: [ticket] } }
  writeFileSync(deployers, toYaml({ deployers: [{ name: 'mock', hooks: [hook] }] }))
  await started(['sandbox', '--port', '0', '--kubeconfig', kubeconfig]).line(/sandbox is ready/)
  const flags = ['--install', '--rollouts', '--hooks-dir', join(folder, 'hooks'), '--deployers-config', deployers]
  operator = started(['run', ...flags, ...place, '--listen-port', '0', '--log-level', 'debug'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  await operator.line(/carabiner is ready/)
  cluster = await connect(createRealRuntime(), { kubeconfig: kubeconfigOf('owner') })
  await makeSubjects(collector.url)
  await until(async () => {
    for (const one of await list()) if (one.outcome !== 'running' && !runs.has(one.hook)) runs.set(one.hook, one)
    return runs.size >= 3 ? true : undefined
  })
  said = await operator.line(/./)
}, 60_000)

afterAll(async () => {
  await cluster?.close()
  for (const program of programs.toReversed()) {
    program.interrupt()
    await program.ended
  }
  collector?.server.closeAllConnections()
  collector?.server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function makeSubjects(url: string): Promise<void> {
  const { client } = cluster
  const metadata = { name: 'web', namespace: 'default' }
  const labels = { app: 'web' }
  const policies = await client.find('carabiner.dev/v1alpha1', 'RolloutPolicy')
  await policies.create({
    ...{ apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      rolloutTypes: ['CREATE'],
      lifecycleHooks: [
        {
          name: 'smoke',
          trigger: { progressAvailableParams: { progressPoint: '100%' } },
          http: { url: `${url}/hook` },
        },
      ],
    },
  } as never)
  await client.of(resources.deployments).create({
    ...{
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, labels: { 'carabiner.dev/rollout-policy': 'web' } },
    },
    spec: {
      ...{ replicas: 1, selector: { matchLabels: labels } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  } as never)
  const items = await client.find('landscaper.gardener.cloud/v1alpha1', 'DeployItem')
  await items.create({
    ...{
      apiVersion: 'landscaper.gardener.cloud/v1alpha1',
      kind: 'DeployItem',
      metadata: { name: 'cart', namespace: 'default' },
    },
    spec: { type: 'landscaper.gardener.cloud/mock' },
  } as never)
}

function listed(hook: string): Listed {
  const found = runs.get(hook)
  if (found === undefined) throw new Error(`no run of ${hook} is listed`)
  return found
}

describe('runs of all surfaces', () => {
  it('are one list, which fits 80 columns', async () => {
    expect([...runs.values()].map(({ surface, hook, outcome }) => [surface, hook, outcome]).toSorted()).toEqual([
      ['addons', 'begin.sh', 'failed'],
      ['deployers', 'ticket', 'failed'],
      ['rollouts', 'smoke', 'succeeded'],
    ])
    const { stdout, code } = await run(['runs', '-A', ...place])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^AGE +SURFACE +SUBJECT +HOOK +OUTCOME +RUN$/m)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('are narrowed down by surface, hook, subject and outcome', async () => {
    const hooksOf = async (...filter: readonly string[]) => new Set((await list(...filter)).map(({ hook }) => hook))
    expect(await hooksOf('--surface', 'deployers')).toEqual(new Set(['ticket']))
    expect(await hooksOf('--hook', 'begin.sh', '--failed')).toEqual(new Set(['begin.sh']))
    expect(await hooksOf('--subject', 'deployment/web')).toEqual(new Set(['smoke']))
    expect((await run(['runs', '--since', 'soon', ...place])).code).toBe(2)
  })

  it.each(['smoke', 'begin.sh', 'ticket'])(
    'of %s are followed from the list to log line and span by the key',
    async (hook) => {
      const { key, outcome, traceId } = listed(hook)
      const lines = said.split('\n').filter((line) => line.includes(`"run":${JSON.stringify(key)}`))
      expect(lines.length).toBeGreaterThanOrEqual(2)
      const shown = await run(['runs', 'show', key, ...place])
      expect(shown.code).toBe(0)
      expect(shown.stdout).toContain(`run       ${key}\n`)
      expect(shown.stdout).toContain(`outcome   ${outcome}`)
      expect(shown.stdout).toContain(`trace     ${traceId}\n`)
      const span = await until(async () => collector.spans.find((one) => one.key === key))
      expect(span).toEqual({ name: `hook ${hook}`, traceId, key })
    },
  )

  it('show the end of what the hook printed, and tell the hook its trace', async () => {
    const { key, traceId } = listed('begin.sh')
    const { stdout } = await run(['runs', 'show', key, ...place])
    expect(stdout).toContain(`  began 00-${traceId}-`)
    expect(stdout).toContain('  no luck\n')
  })

  it('are named by the event about a failure', async () => {
    const { key } = listed('ticket')
    const events = await until(async () => {
      const { items } = await cluster.client.of(resources.events).list({ namespace: 'default' })
      const notes = items.map((event) => (event as { note?: string }).note ?? '').filter((note) => note.includes(key))
      return notes.length === 0 ? undefined : notes
    })
    expect(events[0]).toContain('hook ticket')
  })

  it('are shown where their subject is explained, and where their queue is listed', async () => {
    const item = await run(['item', 'explain', 'cart', '-n', 'default', '--kubeconfig', kubeconfig], {
      DEBUG_UNIX_SOCKET: socket,
    })
    expect(item.stdout).toMatch(
      /Runs of its hooks:\n +failed ticket at BeforeReconcile, .*exited with code 4.*\(run \w+-1\)/,
    )
    const queues = await run(['queue', 'list', '--debug-unix-socket', socket])
    expect(queues.stdout).toContain('All queues are empty.')
  })

  it('are followed until the command is interrupted', async () => {
    const known = new Set((await list('--hook', 'ticket')).map(({ key }) => key))
    const follower = started(['runs', '-A', '-f', '--hook', 'ticket', ...place])
    await follower.line(/ticket/)
    // The item is reconciled again, with back-off, until its hook succeeds.
    await follower.line(
      /^\d\d:\d\d:\d\d failed +deployers default\/cart ticket at BeforeReconcile \w+-1 after .*exited with code 4/m,
    )
    follower.interrupt()
    expect((await follower.ended).code).toBe(0)
    expect((await list('--hook', 'ticket')).some(({ key }) => !known.has(key))).toBe(true)
  })

  it('are read from the journal when the operator is gone', async () => {
    operator.interrupt()
    expect((await operator.ended).code).toBe(0)
    const kept = JSON.parse(
      (await run(['runs', '-A', '-o', 'json', '--kubeconfig', kubeconfig])).stdout,
    ) as readonly Listed[]
    const keys = new Set(kept.filter(({ keptIn }) => keptIn === 'journal').map((one) => one.key))
    for (const hook of ['smoke', 'begin.sh', 'ticket']) expect(keys).toContain(listed(hook).key)
  })
})
