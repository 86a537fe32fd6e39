import { describe, expect, it } from 'vitest'
import { createMemoryMetrics } from '../../runtime/simulated/metrics.ts'
import { createClient } from '../client/create.ts'
import { handlerTransport } from '../transport/handler.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent }

interface Resource {
  readonly group: string
  readonly version: string
  readonly name: string
  readonly kind: string
  readonly short?: string[]
  readonly namespaced?: boolean
}

const builtIn: Resource[] = [
  { group: '', version: 'v1', name: 'pods', kind: 'Pod', short: ['po'] },
  { group: '', version: 'v1', name: 'events', kind: 'Event', short: ['ev'] },
  { group: '', version: 'v1', name: 'nodes', kind: 'Node', short: ['no'], namespaced: false },
  { group: 'events.k8s.io', version: 'v1', name: 'events', kind: 'Event', short: ['ev'] },
  { group: 'apps', version: 'v1', name: 'deployments', kind: 'Deployment', short: ['deploy'] },
  { group: 'x.io', version: 'v2', name: 'things', kind: 'Thing' },
  { group: 'x.io', version: 'v1', name: 'things', kind: 'Thing' },
]

const singular = ({ kind }: Resource) => kind.toLowerCase()

function aggregated(served: readonly Resource[], path: string): object {
  const groups = [...new Set(served.map(({ group }) => group))].filter((group) => (group === '') === (path === '/api'))
  return {
    kind: 'APIGroupDiscoveryList',
    items: groups.map((group) => ({
      metadata: { name: group },
      versions: [...new Set(served.filter((one) => one.group === group).map(({ version }) => version))].map(
        (version) => ({
          version,
          resources: served
            .filter((one) => one.group === group && one.version === version)
            .map((one) => ({
              resource: one.name,
              responseKind: { kind: one.kind },
              scope: one.namespaced === false ? 'Cluster' : 'Namespaced',
              singularResource: singular(one),
              shortNames: one.short,
              verbs: ['get'],
              subresources: [{ subresource: 'status' }],
            })),
        }),
      ),
    })),
  }
}

function legacy(served: readonly Resource[], path: string): object | undefined {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  if (path === '/apis') {
    const groups = [...new Set(served.map(({ group }) => group))].filter((group) => group !== '')
    return {
      kind: 'APIGroupList',
      groups: groups.map((name) => {
        const versions = [...new Set(served.filter((one) => one.group === name).map(({ version }) => version))]
        // The older document lists versions in any order and names the preferred one.
        return {
          name,
          versions: versions.toReversed().map((version) => ({ version })),
          preferredVersion: { version: versions[0] },
        }
      }),
    }
  }
  const [version, group = ''] = path.split('/').slice(2).reverse()
  if (group === 'broken.io') return undefined
  const resources = served.filter((one) => one.group === group && one.version === version)
  return {
    kind: 'APIResourceList',
    resources: resources.flatMap((one) => [
      {
        name: one.name,
        singularName: singular(one),
        namespaced: one.namespaced !== false,
        kind: one.kind,
        verbs: ['get'],
        shortNames: one.short,
      },
      { name: `${one.name}/status`, singularName: '', namespaced: true, kind: one.kind, verbs: ['get'] },
    ]),
  }
}

/** A server whose resources can change, in the new or in the older form. */
function cluster(form: 'aggregated' | 'legacy', served: Resource[] = [...builtIn]) {
  const seen: string[] = []
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after: () => ({ cancel() {} }),
    sleep: async () => {},
  }
  const transport = handlerTransport(async ({ target }) => {
    seen.push(target)
    const body = form === 'legacy' ? legacy(served, target) : aggregated(served, target)
    return { status: body ? 200 : 503, headers: {}, body: new TextEncoder().encode(JSON.stringify(body ?? 'down')) }
  })
  const { discovery, find } = createClient({
    transport,
    runtime: { clock, log: silent, metrics: createMemoryMetrics() },
  })
  return { discovery, find, served, seen }
}

describe.each(['aggregated', 'legacy'] as const)('%s discovery', (form) => {
  it.each([
    ['po', 'v1 pods'],
    ['Pod', 'v1 pods'],
    ['deploy', 'v1 deployments'],
    ['deployments.apps', 'v1 deployments'],
    ['deployment.v1.apps', 'v1 deployments'],
    ['NODES', 'v1 nodes'],
    ['ev', 'v1 events'],
    ['things', 'v2 things'],
    ['things.v1.x.io', 'v1 things'],
  ])('resolves %s', async (name, expected) => {
    const { version, resource } = await cluster(form).discovery.resolve(name)
    expect(`${version} ${resource}`).toBe(expected)
  })

  it('prefers the core group and reads a group after the name', async () => {
    const { discovery } = cluster(form)
    expect((await discovery.resolve('events')).group).toBe('')
    expect((await discovery.resolve('events.events.k8s.io')).group).toBe('events.k8s.io')
  })

  it('returns a resource with all its fields', async () => {
    expect(await cluster(form).discovery.find('v1', 'Node')).toEqual({
      group: '',
      version: 'v1',
      resource: 'nodes',
      kind: 'Node',
      namespaced: false,
      singular: 'node',
      shortNames: ['no'],
      categories: [],
      verbs: ['get'],
      subresources: ['status'],
    })
  })

  it('fetches once, and once more for unknown types', async () => {
    const { find, served, seen } = cluster(form)
    await find('v1', 'Pod')
    await find('apps/v1', 'Deployment')
    const first = seen.length
    served.push({ group: 'new.io', version: 'v1', name: 'news', kind: 'News' })
    const [news] = await Promise.all([find('new.io/v1', 'News'), find('new.io/v1', 'News')])
    expect(news.type.resource).toBe('news')
    expect(seen.length).toBe(2 * first + (form === 'legacy' ? 1 : 0))
    await expect(find('new.io/v1', 'Olds')).rejects.toMatchObject({
      code: 'CRB_RESOURCE_NOT_SERVED',
      message: 'The cluster serves no resource "Olds in new.io/v1".',
    })
  })
})

it('leaves out a group whose aggregated API server is down', async () => {
  const broken = { group: 'broken.io', version: 'v1', name: 'bits', kind: 'Bit' }
  const { discovery } = cluster('legacy', [...builtIn, broken])
  expect((await discovery.resolve('po')).kind).toBe('Pod')
  await expect(discovery.resolve('bits')).rejects.toMatchObject({ code: 'CRB_RESOURCE_NOT_SERVED' })
})
