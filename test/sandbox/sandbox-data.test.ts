/** `carabiner sandbox --data`: a process that is killed loses nothing that was acknowledged. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { loadConnection } from '../../src/kube/config/load.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { networkTransport } from '../../src/kube/network/transport.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { type Running, run, start } from './program.ts'

const home = mkdtempSync(join(tmpdir(), 'carabiner-data-'))
const data = join(home, 'data')
const env = { HOME: home }
const runtime = createRealRuntime({ log: { write: () => undefined } })
const running: Running[] = []
afterAll(async () => {
  for (const one of running) one.kill()
  await runtime.close()
  rmSync(home, { recursive: true, force: true })
})

async function startSandbox() {
  const one = start(['sandbox', '--data', data, '--nodes', '1'], env)
  running.push(one)
  const said = await one.line(/sandbox is ready.*KUBECONFIG=\S+/)
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(said)?.[1] ?? ''
  const transport = networkTransport(await loadConnection(runtime, { kubeconfig }), runtime)
  return { ...one, kubeconfig, client: createClient({ transport, runtime }), close: () => transport.close() }
}

type Sandbox = Awaited<ReturnType<typeof startSandbox>>

const namespace = 'default'
const writtenPerLife = 40

async function writeUntilItEnds({ client }: Sandbox, prefix: string, written: string[]): Promise<void> {
  try {
    for (let number = 0; ; number++) {
      const name = `${prefix}-${number}`
      await client
        .of(resources.configMaps)
        .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } })
      written.push(name)
    }
  } catch {
    // The process was killed.
  }
}

async function userOf({ client }: Sandbox, token: string): Promise<unknown> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
  const answer = (await client.raw('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)) as {
    readonly status?: { readonly user?: { readonly username?: string } }
  }
  return answer.status?.user?.username
}

async function createToken({ client }: Sandbox): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  return ((await client.raw('POST', path, body)) as { readonly status: { readonly token: string } }).status.token
}

it('loses nothing acknowledged when the process is killed; kubeconfigs and tokens stay valid', async () => {
  const acknowledged: string[] = []
  let kubeconfig: string | undefined
  let token: string | undefined
  let revision = 0
  for (let life = 0; life < 3; life++) {
    const one = await startSandbox()
    kubeconfig ??= readFileSync(one.kubeconfig, 'utf8')
    expect(readFileSync(one.kubeconfig, 'utf8')).toBe(kubeconfig)
    token ??= await createToken(one)
    expect(await userOf(one, token)).toBe('system:serviceaccount:default:default')
    const found = await one.client.of(resources.configMaps).list({ namespace })
    expect(found.items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(acknowledged))
    expect(Number(found.metadata.resourceVersion)).toBeGreaterThan(revision)
    revision = Number(found.metadata.resourceVersion)
    const written: string[] = []
    const writers = [0, 1, 2, 3].map((writer) => writeUntilItEnds(one, `life-${life}-${writer}`, written))
    await expect.poll(() => written.length, { timeout: 20_000 }).toBeGreaterThan(writtenPerLife)
    one.kill()
    await Promise.all([...writers, one.ended])
    acknowledged.push(...written)
    await one.close()
    expect((await run(['sandbox', 'list'], env)).stdout).toBe('No sandbox runs.\n')
  }
  const files = readdirSync(data).filter((name) => name.startsWith('data-'))
  expect(files).toHaveLength(1)
  for (const name of files) expect(statSync(join(data, name)).mode & 0o777).toBe(0o600)
})
