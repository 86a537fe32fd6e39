import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeClient } from '../../src/kube/client/client.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { type Pod, resources } from '../../src/kube/kinds/index.ts'
import { createRealRuntime } from '../../src/runtime/real/index.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { isRunning } from '../machine/is-running.ts'

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

/** Reasons and messages of the node's events about a pod, once there is one. */
async function nodeEvents(name: string): Promise<string[]> {
  for (;;) {
    const { items } = await client.of(resources.events).list({ namespace })
    const about = items as unknown as { reason?: string; note?: string; regarding?: { name?: string } }[]
    const own = about.filter(({ reason, regarding }) => regarding?.name === name && reason !== 'Scheduled')
    if (own.length > 0) return own.map(({ reason, note }) => `${reason}: ${note}`)
    await runtime.clock.sleep(20)
  }
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

  it('fails a container whose program is missing as containerd does, and says why it is missing', async () => {
    await run('absent', '', {}, { command: ['no-such-program', 'db:migrate'] })
    const pod = await phase('absent', 'Failed')
    const message =
      'failed to start container: exec: "no-such-program": executable file not found in $PATH; images are not pulled: the program must be installed on this machine'
    const terminated = { exitCode: 128, reason: 'StartError', message }
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject(terminated)
    expect(await nodeEvents('absent')).toEqual([`Failed: Error: ${message}`])
  })

  it('restarts it with back-off where the pod is restarted', async () => {
    await run('again', '', { restartPolicy: 'Always' }, { command: ['no-such-program'] })
    for (;;) {
      const { status } = await client.of(resources.pods).get('again', { namespace })
      const [container] = status?.containerStatuses ?? []
      if (container?.state?.waiting?.reason === 'CrashLoopBackOff') {
        expect(container.lastState?.terminated).toMatchObject({ exitCode: 128, reason: 'StartError' })
        break
      }
      await runtime.clock.sleep(20)
    }
    await client.of(resources.pods).delete('again', { namespace })
  })

  it('says in the log why a program was not found by a shell', async () => {
    await run('unknown', 'no-such-program')
    const pod = await phase('unknown', 'Failed')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 127 })
    expect(await log('unknown')).toMatch(
      /^sh: .*not found\nsandbox: a program was not found; images are not pulled: the program must be installed on this machine\n$/,
    )
  })

  it('ends with the first process of the container, and kills its children', async () => {
    await run('parent', 'sleep 1000 & echo $!; exit 3')
    const pod = await phase('parent', 'Failed')
    expect(pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3 })
    expect(isRunning(Number(await log('parent')))).toBe(false)
  })

  it('gives the variables of the container only, and a working directory of its own', async () => {
    await run(
      'inside',
      'env | cut -d= -f1 | sort; pwd',
      {},
      { workingDir: '/srv/../app', env: [{ name: 'A', value: 'a' }] },
    )
    await phase('inside', 'Succeeded')
    const [directory, ...names] = (await log('inside')).trim().split('\n').toReversed()
    expect(names.filter((name) => !['_', 'SHLVL'].includes(name)).toReversed()).toEqual([
      'A',
      'HOME',
      'HOSTNAME',
      'PATH',
      'PWD',
      'TMPDIR',
    ])
    expect(directory).toMatch(/\/carabiner-sandbox-[^/]+\/[-0-9a-f]+\/srv\/app$/)
  })

  it('simulates a container without a command, and its log says so', async () => {
    await run('image', '', { restartPolicy: 'Always' }, { command: [] })
    await phase('image', 'Running')
    expect(await log('image')).toBe(
      'sandbox: this container is simulated: it has no command, and images are not pulled. With a command and --node-mode process it runs on this machine.\n',
    )
  })
})

it('does not start a process before its volumes can be mounted', async () => {
  await run('unmounted', 'echo ran', { volumes: [{ name: 'v', secret: { secretName: 'absent' } }] })
  const mount = 'FailedMount: MountVolume.SetUp failed for volume "v" : secret "absent" not found'
  expect(await nodeEvents('unmounted')).toEqual([mount])
  await client.of(resources.pods).delete('unmounted', { namespace })
})

it('leaves no process and no file when it stops', async () => {
  const other = createSandbox(runtime, { nodes: 1, nodeMode: 'process' })
  const own = createClient({ transport: other.transport(), runtime })
  await other.ready
  const before = client
  client = own
  await run('server', 'sleep 1000 & echo $!; touch $HOME/file; pwd; wait', { restartPolicy: 'Always' })
  await phase('server', 'Running')
  let lines: string[] = []
  while (lines.length < 2) {
    // Reading the log in this process does not let the output in.
    await runtime.clock.sleep(5)
    lines = (await log('server')).trim().split('\n')
  }
  client = before
  const [child = '', directory = ''] = lines
  expect([isRunning(Number(child)), existsSync(directory)]).toEqual([true, true])
  await other.stop()
  expect([isRunning(Number(child)), existsSync(dirname(directory))]).toEqual([false, false])
})
