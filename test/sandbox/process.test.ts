import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { type Pod, resources } from '../../src/kube/kinds/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts'

const runtime = createRealRuntime({ log: { level: 'error' } } as never)
const namespace = 'default'
let sandbox: Sandbox
let client: KubeClient

beforeAll(async () => {
  sandbox = createSandbox(runtime, { nodes: 1, nodeMode: 'process' })
  client = createClient({ transport: sandbox.transport(), runtime })
  await sandbox.ready
})

afterAll(async () => {
  await sandbox.stop()
})

async function run(name: string, script: string, spec: object = {}, container: object = {}): Promise<Pod> {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { team: 'blue' } },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'none', command: ['sh', '-c', script], ...container }],
      ...spec,
    },
  }
  for (;;) {
    try {
      return await client.of(resources.pods).create(object as unknown as Pod)
    } catch (error) {
      // The service account of a new namespace is created with a delay.
      if (!String(error).includes('serviceaccount')) throw error
      await runtime.clock.sleep(20)
    }
  }
}

async function phase(name: string, ...wanted: string[]): Promise<Pod> {
  for (;;) {
    const pod = await client.of(resources.pods).get(name, { namespace })
    if (wanted.includes(pod.status?.phase ?? '')) return pod
    await runtime.clock.sleep(20)
  }
}

async function log(name: string, options: object = {}): Promise<string> {
  let text = ''
  for await (const bytes of client.logs({ namespace, name }, options)) text += new TextDecoder().decode(bytes)
  return text
}

describe('a node that runs processes', () => {
  it('runs the command in a private directory with its environment', async () => {
    await client.of(resources.configMaps).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', namespace },
      data: { COLOR: 'red', SIZE: 'l' },
    })
    await client
      .of(resources.secrets)
      .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace }, data: { key: btoa('hush') } })
    const env = [
      { name: 'A', value: 'a' },
      { name: 'B', value: '$(A)b $$(A) $(C)' },
      { name: 'TEAM', valueFrom: { fieldRef: { fieldPath: "metadata.labels['team']" } } },
      { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      { name: 'SIZE', valueFrom: { configMapKeyRef: { name: 'c', key: 'SIZE' } } },
      { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'key' } } },
    ]
    const script = 'echo "$B $TEAM $NODE $SIZE $KEY $X_COLOR $1"; test "$PWD" = "$HOME" && touch here && ls'
    await run(
      'env',
      script,
      {},
      { env, envFrom: [{ prefix: 'X_', configMapRef: { name: 'c' } }], args: ['name', '$(TEAM)!'] },
    )
    await phase('env', 'Succeeded')
    expect(await log('env')).toBe('ab $(A) $(C) blue node-1 l hush red blue!\nhere\n')
  })

  it('reports the exit code', async () => {
    await run('fails', 'echo out; echo err >&2; exit 3')
    const pod = await phase('fails', 'Failed')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' })
    expect((await log('fails')).split('\n').sort()).toEqual(['', 'err', 'out'])
  })

  it('stops a process gracefully and kills it after the grace period', async () => {
    const trap = 'trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done'
    await run('polite', trap)
    await run('deaf', 'trap "" TERM; echo up; while :; do sleep 0.05; done', { terminationGracePeriodSeconds: 1 })
    await phase('polite', 'Running')
    await phase('deaf', 'Running')
    const following = log('polite', { follow: true })
    await runtime.clock.sleep(200)
    const begun = runtime.clock.monotonic()
    for (const name of ['polite', 'deaf']) await client.of(resources.pods).delete(name, { namespace })
    expect(await following).toMatch(/^up\n[\s\S]*bye\n$/)
    const gone = async () =>
      (await client.of(resources.pods).list({ namespace })).items.every(
        ({ metadata }) => !['polite', 'deaf'].includes(metadata.name),
      )
    while (!(await gone())) await runtime.clock.sleep(20)
    expect(runtime.clock.monotonic() - begun).toBeGreaterThan(900)
  })

  it('waits for objects a container refers to', async () => {
    await run(
      'waits',
      'echo $LATER',
      {},
      { env: [{ name: 'LATER', valueFrom: { configMapKeyRef: { name: 'later', key: 'k' } } }] },
    )
    for (;;) {
      const pod = await client.of(resources.pods).get('waits', { namespace })
      const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting
      if (waiting?.reason === 'CreateContainerConfigError') {
        expect(waiting.message).toBe('configmap "later" not found')
        return
      }
      await runtime.clock.sleep(20)
    }
  })

  it('fails a container that cannot be started', async () => {
    await run('absent', '', {}, { command: ['/no/such/program'] })
    const pod = await phase('absent', 'Failed')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 128, reason: 'StartError' })
  })
})
