/** Traces of the built operator with the OpenTelemetry packages: they reach a collector and never delay the shutdown. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import { parseYaml, toYaml } from '../../src/kube/manifest/index.ts'
import { connect } from '../../src/kube/network/index.ts'
import { optInLabel } from '../../src/rollouts/labels.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { type Running, start } from './program.ts'

const folder = mkdtempSync(join(tmpdir(), 'carabiner-traces-'))
const kubeconfig = join(folder, 'kubeconfig')
const programs: Running[] = []

function started(...[args, env]: Parameters<typeof start>): Running {
  const program = start(args, env)
  programs.push(program)
  return program
}

beforeAll(() => started(['sandbox', '--port', '0', '--kubeconfig', kubeconfig]).line(/sandbox is ready/))

afterAll(async () => {
  for (const program of programs.toReversed()) {
    program.interrupt()
    await program.ended
  }
  rmSync(folder, { recursive: true, force: true })
})

interface Received {
  readonly path: string
  readonly body: string
}

interface Collector {
  readonly url: string
  readonly received: readonly Received[]
  readonly first: (path: string) => Promise<void>
  readonly close: () => void
}

const taken = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{}')

interface Spans {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly { readonly name: string; readonly traceId: string }[] }[]
  }[]
}

function spansOf({ received }: Collector) {
  const bodies = received.filter(({ path }) => path === '/v1/traces').map(({ body }) => JSON.parse(body) as Spans)
  return bodies.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  )
}

/** A collector that responds with `answer`, or never. */
async function listen(answer?: (response: ServerResponse) => void): Promise<Collector> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server: Server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      received.push({ path: request.url ?? '', body })
      for (const look of waiting) look()
      answer?.(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const first = (path: string) =>
    new Promise<void>((resolve) => {
      const look = () => received.some((one) => one.path === path) && resolve()
      waiting.add(look)
      look()
    })
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, first, close }
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

function operate(endpoint: string): Running {
  return started(['run', '--install', '--kubeconfig', kubeconfig, '--listen-port', '0'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  })
}

it('a collector receives the spans of a policy whose hook ran', async () => {
  const collector = await listen(taken)
  const operator = operate(collector.url)
  await operator.line(/carabiner is ready/)
  const cluster = await connect(createRealRuntime(), { kubeconfig: kubeconfigOf('owner') })
  const place = { namespace: 'default' }
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
  const http = { url: `${collector.url}/hook` }
  await cluster.client.of(policyType).create({
    ...{ apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name: 'web', ...place } },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      rolloutTypes: ['CREATE'],
      lifecycleHooks: [{ name: 'tell', trigger: { progressAvailableParams: { progressPoint: '100%' } }, http }],
    },
  } as never)
  await cluster.client.of(resources.deployments).create({
    ...{
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', ...place, labels: { [optInLabel]: 'web' } },
    },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  } as never)
  await cluster.close()
  await collector.first('/hook')
  operator.interrupt()
  expect((await operator.ended).code).toBe(0)
  collector.close()
  expect(spansOf(collector).map(({ name }) => name)).toContain('rollouts default/web')
})

it('a collector receives the span of a script hook run, in the trace passed to the hook', async () => {
  const collector = await listen(taken)
  const hooks = join(folder, 'hooks')
  mkdirSync(hooks)
  const hook = `#!/bin/sh\ntest "$1" = --config && echo '{"configVersion": "v1", "onStartup": 1}' || echo "trace $TRACEPARENT."\n`
  writeFileSync(join(hooks, 'start.sh'), hook, { mode: 0o755 })
  const operator = started(['run', '--hooks-dir', hooks, '--kubeconfig', kubeconfig, '--listen-port', '0'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  const trace = /trace 00-([0-9a-f]{32})-[0-9a-f]{16}-01\./.exec(await operator.line(/trace .*\./))?.[1]
  await operator.line(/carabiner is ready/)
  operator.interrupt()
  expect((await operator.ended).code).toBe(0)
  collector.close()
  const [span] = spansOf(collector).filter(({ name }) => name === 'hook start.sh')
  expect(span).toMatchObject({ traceId: trace })
})

it('a collector that never responds does not delay the shutdown', async () => {
  const collector = await listen()
  const operator = operate(collector.url)
  await operator.line(/carabiner is ready/)
  operator.interrupt()
  const since = performance.now()
  const { code, stderr } = await operator.ended
  expect(code).toBe(0)
  expect(stderr).toContain('the last traces were not sent before the timeout')
  expect(collector.received.map(({ path }) => path)).toContain('/v1/traces')
  // The exporter itself would wait ten seconds for the response.
  expect(performance.now() - since).toBeLessThan(9000)
  collector.close()
})
