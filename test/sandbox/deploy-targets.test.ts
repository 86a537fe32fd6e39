/** From a target to a client: sources of the kubeconfig, refused settings, shared clients, unreachable targets. */
import { describe, expect, it } from 'vitest'
import type { TargetRequest } from '../../src/deployers/library/deployer.ts'
import type { Target } from '../../src/deployers/resources/types.ts'
import { createTargets, type TargetSettings } from '../../src/deployers/targets/clients.ts'
import type { Connection } from '../../src/kube/config/connection.ts'
import { ApiError } from '../../src/kube/errors.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { inCluster, type TestCluster } from './cluster.ts'

const kubernetes = 'landscaper.gardener.cloud/kubernetes-cluster'
const secretToken = 'very-secret-token'

function kubeconfig(server: string, user: object = { token: secretToken }, cluster: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'main',
    contexts: [{ name: 'main', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
  })
}

function targetOf(config: unknown, type = kubernetes): Target {
  return {
    apiVersion: 'landscaper.gardener.cloud/v1alpha1',
    kind: 'Target',
    metadata: { name: 'shop', namespace: 'default' },
    spec: { type, config: config as never },
  }
}

interface Stage {
  readonly cluster: TestCluster
  /** Connected servers, and closed ones. */
  readonly connected: string[]
  readonly closed: string[]
  readonly down: Set<string>
  access(target: Target | undefined, kubeconfig?: string): Promise<string>
}

async function stage(
  play: (stage: Stage) => Promise<void>,
  settings: TargetSettings = {},
  host?: (cluster: TestCluster) => TestCluster['client'],
): Promise<void> {
  await inCluster(async (cluster) => {
    const connected: string[] = []
    const closed: string[] = []
    const down = new Set<string>()
    const connector = async (connection: Connection) => {
      connected.push(connection.server)
      const raw = (method: string, path: string) => {
        if (down.has(connection.server)) return cluster.sleep(60).then(() => Promise.reject(new Error('too late')))
        return cluster.client.raw(method, connection.server.includes('strict') ? '/nowhere' : path)
      }
      return {
        client: { ...cluster.client, raw },
        connection,
        close: async () => {
          closed.push(connection.server)
        },
      }
    }
    const targets = createTargets(cluster.runtime, settings, connector)
    const request = (target: Target | undefined, own?: string): TargetRequest => ({
      target,
      kubeconfig: own,
      deployItem: {
        apiVersion: 'landscaper.gardener.cloud/v1alpha1',
        kind: 'DeployItem',
        metadata: { name: 'item', namespace: 'default' },
        spec: { type: 'x' },
      },
      landscaper: cluster.client,
      host: host?.(cluster) ?? cluster.client,
      runtime: cluster.runtime,
      signal: new AbortController().signal,
    })
    await play({
      cluster,
      connected,
      closed,
      down,
      access: async (target, own) => (await targets.access(request(target, own))).kubeconfig ?? 'the host cluster',
    })
    await targets.close()
  })
}

const notFound = new ApiError({ method: 'GET', target: '/' }, 404, {
  apiVersion: 'v1',
  kind: 'Status',
  metadata: {},
  status: 'Failure',
  reason: 'NotFound',
  code: 404,
} as never)

const refused = (access: Promise<string>) =>
  access.then(
    () => 'accepted',
    (error: Error & { codes?: readonly string[] }) => `${error.codes?.join()} ${error.message}`,
  )

describe('targets', () => {
  it('takes a kubeconfig from the item, the target or a secret', () =>
    stage(async ({ cluster, access }) => {
      const inTarget = kubeconfig('https://target:6443')
      const inItem = kubeconfig('https://item:6443')
      expect(await access(targetOf({ kubeconfig: inTarget }))).toBe(inTarget)
      expect(await access(targetOf({ kubeconfig: inTarget }), btoa(inItem))).toBe(inItem)
      const inSecret = kubeconfig('https://secret:6443')
      await cluster.create(resources.secrets, {
        metadata: { name: 'access' },
        data: { kubeconfig: btoa(inSecret), other: btoa(inItem) },
      } as never)
      expect(await access(targetOf({ kubeconfig: { secretRef: { name: 'access' } } }))).toBe(inSecret)
      expect(
        await access(targetOf({ kubeconfig: { secretRef: { name: 'access', namespace: 'default', key: 'other' } } })),
      ).toBe(inItem)
    }))

  it.each<[string, Target | undefined, string]>([
    ['no target', undefined, 'spec.target is missing'],
    ['another type', targetOf({ kubeconfig: '{}' }, 'cloud'), 'spec.type is "cloud"'],
    ['no configuration', targetOf(undefined), 'spec.config.kubeconfig is missing'],
    ['an empty one', targetOf({}), 'is neither text nor a secretRef'],
    ['a missing secret', targetOf({ kubeconfig: { secretRef: { name: 'no' } } }), 'there is no secret "default/no"'],
    ['a nameless secret', targetOf({ kubeconfig: { secretRef: {} } }), 'secretRef.name is missing'],
    ['broken YAML', targetOf({ kubeconfig: `a: [${secretToken}` }), 'target "default/shop"'],
    ['no server', targetOf({ kubeconfig: kubeconfig('') }), 'server is missing'],
    [
      'a credential plugin',
      targetOf({ kubeconfig: kubeconfig('https://a', { exec: { command: 'rm' }, token: secretToken }) }),
      'user "u": exec would run a program',
    ],
    [
      'a key of this machine',
      targetOf({ kubeconfig: kubeconfig('https://a', { 'client-key': '/etc/key' }) }),
      'user "u": client-key would read a file',
    ],
    [
      'a token of this machine',
      targetOf({ kubeconfig: kubeconfig('https://a', { tokenFile: '/etc/token' }) }),
      'user "u": tokenFile would read a file',
    ],
    [
      'an authority of this machine',
      targetOf({ kubeconfig: kubeconfig('https://a', {}, { 'certificate-authority': '/etc/ca' }) }),
      'cluster "c": certificate-authority would read a file',
    ],
    ['the rights of the deployer', targetOf({ inCluster: true }), 'would use the rights of the deployer'],
  ])('refuses %s', async (_, target, problem) => {
    await stage(async ({ access, connected }) => {
      const said = await refused(access(target))
      expect(said).toContain('ERR_CONFIGURATION_PROBLEM')
      expect(said).toContain(problem)
      expect(said).not.toContain(secretToken)
      expect(connected).toEqual([])
    })
  })

  it('uses a secret of another namespace only if an administrator allows the pair', async () => {
    const foreign = kubeconfig('https://foreign:6443')
    const refer = targetOf({ kubeconfig: { secretRef: { name: 'admin', namespace: 'kube-system' } } })
    const prepare = async ({ cluster }: Stage) => {
      const data = { kubeconfig: btoa(foreign) }
      await cluster.create(resources.secrets, { metadata: { name: 'admin', namespace: 'kube-system' }, data } as never)
    }
    for (const secretNamespaces of [
      undefined,
      [{ targets: 'other', secrets: 'kube-system' }],
      [{ targets: 'default', secrets: 'kube-system', cluster: 'host' as const }],
    ])
      await stage(
        async (on) => {
          await prepare(on)
          const said = await refused(on.access(refer))
          expect(said).toContain('ERR_CONFIGURATION_PROBLEM')
          expect(said).toMatch(/secretRef.namespace is "kube-system"|there is no secret "kube-system\/admin"/)
          expect(on.connected).toEqual([])
        },
        secretNamespaces === undefined ? {} : { secretNamespaces },
        ({ client }) => ({ ...client, of: () => ({ get: () => Promise.reject(notFound) }) as never }),
      )
    await stage(
      async (on) => {
        await prepare(on)
        expect(await on.access(refer)).toBe(foreign)
      },
      { secretNamespaces: [{ targets: 'default', secrets: 'kube-system' }] },
    )
  })

  it('reads a secret of the cluster of the deployer only if an administrator allows the pair', async () => {
    const onHost = kubeconfig('https://host:6443')
    const host = ({ client }: TestCluster) => ({
      ...client,
      of: () => ({ get: () => Promise.resolve({ metadata: {}, data: { kubeconfig: btoa(onHost) } }) }) as never,
    })
    const refer = targetOf({ kubeconfig: { secretRef: { name: 'admin' } } })
    await stage(
      async ({ access }) => expect(await refused(access(refer))).toContain('there is no secret "default/admin"'),
      {},
      host,
    )
    await stage(
      async ({ access }) => expect(await access(refer)).toBe(onHost),
      { secretNamespaces: [{ targets: 'default', secrets: 'default', cluster: 'host' }] },
      host,
    )
  })

  it('allows by setting what it refuses by default', () =>
    stage(
      async ({ access }) => {
        const plugin = kubeconfig('https://a', {
          exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'login', interactiveMode: 'Never' },
        })
        expect(await access(targetOf({ kubeconfig: plugin }))).toBe(plugin)
        expect(await access(targetOf({ inCluster: true }))).toBe('the host cluster')
      },
      { allowExec: true, allowFiles: true, allowInCluster: true },
    ))

  it('shares one client per content and drops it when the target changes', () =>
    stage(async ({ cluster, access, connected, closed }) => {
      const [first, second] = [kubeconfig('https://one:1'), kubeconfig('https://two:2')]
      await Promise.all([access(targetOf({ kubeconfig: first })), access(targetOf({ kubeconfig: first }))])
      await access(targetOf({ kubeconfig: second }))
      expect(connected).toEqual(['https://one:1', 'https://two:2'])
      expect(closed).toEqual([])
      await cluster.sleep(121)
      expect(closed).toEqual(['https://one:1'])
    }))

  it('notices a changed kubeconfig at another key, in a changed Secret and in a changed target', () =>
    stage(async ({ cluster, access, connected }) => {
      const [one, two, three] = [1, 2, 3].map((port) => kubeconfig(`https://server:${port}`))
      const secret = await cluster.create(resources.secrets, {
        metadata: { name: 'access' },
        data: { kubeconfig: btoa(one ?? ''), other: btoa(two ?? '') },
      } as never)
      const refer = (key?: string) => access(targetOf({ kubeconfig: { secretRef: { name: 'access', key } } }))
      await refer()
      await refer('other')
      const data = { kubeconfig: btoa(three ?? '') }
      await cluster.client.of(resources.secrets).update({ ...secret, data } as never)
      await refer()
      expect(connected).toEqual(['https://server:1', 'https://server:2', 'https://server:3'])
      const versioned = (port: number) => {
        const target = targetOf({ kubeconfig: kubeconfig(`https://own:${port}`) })
        return { ...target, metadata: { ...target.metadata, uid: 'u', resourceVersion: String(port) } }
      }
      for (const port of [4, 4, 5]) await access(versioned(port))
      expect(connected.slice(3)).toEqual(['https://own:4', 'https://own:5'])
    }))

  it('closes a client that was not used for half an hour', () =>
    stage(async ({ cluster, access, closed }) => {
      const other = targetOf({ kubeconfig: kubeconfig('https://two:2') })
      const busy = { ...other, metadata: { ...other.metadata, name: 'busy' } }
      await access(targetOf({ kubeconfig: kubeconfig('https://one:1') }))
      for (let minute = 0; minute < 40; minute += 1) {
        await access(busy)
        await cluster.sleep(60)
      }
      expect(closed).toEqual(['https://one:1'])
    }))

  it('checks an unreachable target once and then fails fast', () =>
    stage(async ({ cluster, access, down }) => {
      const { clock } = cluster.runtime
      down.add('https://away:1')
      const away = targetOf({ kubeconfig: kubeconfig('https://away:1') })
      const started = clock.monotonic()
      const all = await Promise.all(Array.from({ length: 100 }, () => refused(access(away))))
      expect(new Set(all)).toEqual(new Set([' target "default/shop": no answer within 5 s']))
      expect(clock.monotonic() - started).toBe(5_000)
      await refused(access(away))
      expect(clock.monotonic() - started).toBe(5_000)
      const other = targetOf({ kubeconfig: kubeconfig('https://here:1') })
      await access({ ...other, metadata: { ...other.metadata, name: 'other' } })
      expect(clock.monotonic() - started).toBeLessThan(5_100)
      down.clear()
      await cluster.sleep(16)
      expect(await refused(access(away))).toBe('accepted')
    }))

  it('lets one item check whether a target is reachable again and gives the others a retry time', () =>
    stage(async ({ cluster, access, down }) => {
      const { clock } = cluster.runtime
      down.add('https://away:1')
      const away = targetOf({ kubeconfig: kubeconfig('https://away:1') })
      const retryAfterMs = () => access(away).then(Boolean, (error: { retryAfterMs: number }) => error.retryAfterMs)
      expect(await retryAfterMs()).toBe(15_000)
      await cluster.sleep(10)
      expect(await retryAfterMs()).toBe(5_000)
      await cluster.sleep(6)
      const started = clock.monotonic()
      const first = retryAfterMs()
      expect(await retryAfterMs()).toBe(5_000)
      expect(clock.monotonic()).toBe(started)
      expect(await first).toBe(15_000)
      expect(clock.monotonic() - started).toBe(5_000)
    }))

  it('treats an HTTP error as reachable', () =>
    stage(async ({ access }) => {
      const target = targetOf({ kubeconfig: kubeconfig('https://strict:1') })
      expect(await refused(access(target))).toBe('accepted')
    }))
})
