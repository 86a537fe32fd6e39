import { describe, expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { podsOf, readHookLog } from './hook-log.ts'

const pod = (name: string) => ({ metadata: { name, namespace: 'shop' }, spec: { containers: [{ name: 'main' }] } })
const json = (value: object, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: new TextEncoder().encode(JSON.stringify(value)),
})
const job = { kind: 'Job', namespace: 'shop', name: 'migrate' }

describe('podsOf', () => {
  async function requests(pods: readonly string[], there: readonly string[]) {
    const targets: string[] = []
    const { runtime } = createSimulation(1)
    const transport = handlerTransport(async ({ target }) => {
      targets.push(target.replace('/api/v1/namespaces/shop', ''))
      if (target.includes('?')) return json({ kind: 'PodList', metadata: {}, items: there.map(pod) })
      const name = target.slice(target.lastIndexOf('/') + 1)
      return there.includes(name) ? json(pod(name)) : json({ kind: 'Status', code: 404, reason: 'NotFound' }, 404)
    })
    const found = await podsOf(createClient({ transport, runtime }), { ...job, pods })
    return { targets: targets.map((target) => target.split('&')[0]), found: found.map(({ metadata }) => metadata.name) }
  }
  const list = '/pods?labelSelector=batch.kubernetes.io%2Fjob-name%3Dmigrate'

  it('gets the pod by name when only one is known', async () => {
    expect(await requests(['a'], ['a'])).toEqual({ targets: ['/pods/a'], found: ['a'] })
  })

  it('lists the pods when several or none are known', async () => {
    expect(await requests(['a', 'b'], ['a', 'b', 'c'])).toEqual({ targets: [list], found: ['a', 'b', 'c'] })
    expect(await requests([], ['a'])).toEqual({ targets: [list], found: ['a'] })
  })

  it('lists the pods when the known one was deleted', async () => {
    expect(await requests(['a'], ['b'])).toEqual({ targets: ['/pods/a', list], found: ['b'] })
  })
})

it('requests only the log of a known pod and the Secrets it uses', async () => {
  const { runtime } = createSimulation(1)
  const targets: string[] = []
  const transport = handlerTransport(async ({ target }) => {
    const [path = ''] = target.replace('/api/v1/namespaces/shop/', '').split('?')
    targets.push(path)
    if (path.startsWith('secrets/')) return json({ metadata: { name: 'db' }, data: { password: btoa('hunter2!') } })
    return { ...json({}), body: new TextEncoder().encode('connected with hunter2!') }
  })
  const logSource = { name: 'a', containers: ['main'], secrets: ['db'] }
  const log = await readHookLog(createClient({ transport, runtime }), runtime, { ...job, logSource })
  expect(targets).toEqual(['secrets/db', 'pods/a/log'])
  expect(log).toMatch(/^connected with (?!.*hunter2).+\n$/)
})

it('stops reading the log when the signal aborts', async () => {
  const simulation = createSimulation(1)
  await simulation.run(async () => {
    const { runtime } = simulation
    const transport = handlerTransport(
      ({ signal }) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
    )
    const over = new AbortController()
    runtime.clock.after(1_000, () => over.abort())
    expect(await readHookLog(createClient({ transport, runtime }), runtime, job, over.signal)).toBeUndefined()
    expect(runtime.clock.monotonic()).toBe(1_000)
  })
})

it.each([
  [
    { terminated: { exitCode: 128, reason: 'StartError', message: 'no such file' } },
    'StartError, exit code 128, no such file',
  ],
  [{ waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }, 'ImagePullBackOff, no such image'],
])('the log of a container without output says why', async (state, why) => {
  const { runtime } = createSimulation(1)
  const status = { containerStatuses: [{ name: 'main', state }] }
  const transport = handlerTransport(async ({ target }) =>
    target.includes('/log') ? { ...json({}), body: new Uint8Array() } : json({ ...pod('a'), status }),
  )
  const carrier = { kind: 'Pod', namespace: 'shop', name: 'a' }
  expect(await readHookLog(createClient({ transport, runtime }), runtime, carrier)).toBe(
    `(container main has no output: ${why})\n`,
  )
})
