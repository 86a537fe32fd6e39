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

describe('the pods of a hook', () => {
  async function asked(pods: readonly string[], there: readonly string[]) {
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

  it('is got by its name where it is the only one', async () => {
    expect(await asked(['a'], ['a'])).toEqual({ targets: ['/pods/a'], found: ['a'] })
  })

  it('are looked for where several are known or none', async () => {
    expect(await asked(['a', 'b'], ['a', 'b', 'c'])).toEqual({ targets: [list], found: ['a', 'b', 'c'] })
    expect(await asked([], ['a'])).toEqual({ targets: [list], found: ['a'] })
  })

  it('are looked for when the one that is known has gone', async () => {
    expect(await asked(['a'], ['b'])).toEqual({ targets: ['/pods/a', list], found: ['b'] })
  })
})

it('the log of a pod that is known is all that is asked for, and the secrets it was given', async () => {
  const { runtime } = createSimulation(1)
  const targets: string[] = []
  const transport = handlerTransport(async ({ target }) => {
    const [path = ''] = target.replace('/api/v1/namespaces/shop/', '').split('?')
    targets.push(path)
    if (path.startsWith('secrets/')) return json({ metadata: { name: 'db' }, data: { password: btoa('hunter2!') } })
    return { ...json({}), body: new TextEncoder().encode('connected with hunter2!') }
  })
  const logSource = { name: 'a', containers: ['main'], secrets: ['db'] }
  const said = await readHookLog(createClient({ transport, runtime }), runtime, { ...job, logSource })
  expect(targets).toEqual(['secrets/db', 'pods/a/log'])
  expect(said).toMatch(/^connected with (?!.*hunter2).+\n$/)
})

it('the log of a hook is not waited for once nobody wants it', async () => {
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
])('the log of a container that said nothing says why', async (state, why) => {
  const { runtime } = createSimulation(1)
  const status = { containerStatuses: [{ name: 'main', state }] }
  const transport = handlerTransport(async ({ target }) =>
    target.includes('/log') ? { ...json({}), body: new Uint8Array() } : json({ ...pod('a'), status }),
  )
  const carrier = { kind: 'Pod', namespace: 'shop', name: 'a' }
  expect(await readHookLog(createClient({ transport, runtime }), runtime, carrier)).toBe(
    `(container main said nothing: ${why})\n`,
  )
})
