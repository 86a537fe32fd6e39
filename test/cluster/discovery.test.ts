/** Discovery: version, groups, resources, schemas and health. */
import { expect, it } from 'vitest'
import { onCluster } from './suite.ts'

interface Resource {
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
}

onCluster('discovery', (cluster) => {
  it('returns its version', async () => {
    const { body } = await cluster.call('GET', '/version')
    expect(body).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\.3\d\.\d/) })
  })

  it('is healthy', async () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const { status, text } = await cluster.call('GET', path)
      expect([status, text]).toEqual([200, 'ok'])
    }
    expect((await cluster.call('GET', '/readyz?verbose')).text).toMatch(/^\[\+\]ping ok\n[\s\S]*readyz check passed\n$/)
  })

  it('lists groups and their preferred versions', async () => {
    const { body } = await cluster.call('GET', '/apis')
    const { groups } = body as unknown as { groups: { name: string; preferredVersion: { groupVersion: string } }[] }
    const preferred = Object.fromEntries(
      groups.map(({ name, preferredVersion }) => [name, preferredVersion.groupVersion]),
    )
    expect(preferred).toMatchObject({
      apps: 'apps/v1',
      batch: 'batch/v1',
      'rbac.authorization.k8s.io': 'rbac.authorization.k8s.io/v1',
      'coordination.k8s.io': 'coordination.k8s.io/v1',
      'events.k8s.io': 'events.k8s.io/v1',
      'admissionregistration.k8s.io': 'admissionregistration.k8s.io/v1',
      'apiextensions.k8s.io': 'apiextensions.k8s.io/v1',
      policy: 'policy/v1',
      autoscaling: 'autoscaling/v2',
      'authentication.k8s.io': 'authentication.k8s.io/v1',
      'authorization.k8s.io': 'authorization.k8s.io/v1',
    })
  })

  it.each([
    [
      '/apis/apps/v1',
      'deployments',
      { kind: 'Deployment', namespaced: true, shortNames: ['deploy'], singularName: 'deployment', categories: ['all'] },
    ],
    [
      '/apis/apps/v1',
      'deployments/scale',
      { kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] },
    ],
    ['/api/v1', 'pods', { kind: 'Pod', namespaced: true, shortNames: ['po'] }],
    ['/api/v1', 'nodes', { kind: 'Node', namespaced: false, shortNames: ['no'] }],
    ['/apis/batch/v1', 'jobs/status', { kind: 'Job', verbs: ['get', 'patch', 'update'] }],
  ])('describes %s %s', async (path, name, expected) => {
    const { resources } = (await cluster.call('GET', path)).body as unknown as { resources: Resource[] }
    expect(resources.find((resource) => resource.name === name)).toMatchObject(expected)
  })

  it('returns aggregated discovery on request', async () => {
    const headers = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' }
    const { body, headers: answered } = await cluster.call('GET', '/apis', { headers })
    expect(body.kind).toBe('APIGroupDiscoveryList')
    expect(answered['content-type']).toContain('as=APIGroupDiscoveryList')
    const apps = body.items.find((item) => item.metadata.name === 'apps') as unknown as {
      versions: { version: string; resources: { resource: string; scope: string; responseKind: { kind: string } }[] }[]
    }
    expect(apps.versions[0]?.resources.find(({ resource }) => resource === 'deployments')).toMatchObject({
      scope: 'Namespaced',
      responseKind: { group: '', version: '', kind: 'Deployment' },
      singularResource: 'deployment',
    })
  })

  it('publishes schemas', async () => {
    const index = JSON.parse((await cluster.call('GET', '/openapi/v3')).text) as {
      paths: Record<string, { serverRelativeURL: string }>
    }
    const apps = index.paths['apis/apps/v1']
    expect(apps?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=/)
    const document = (await cluster.call('GET', apps?.serverRelativeURL ?? '')).body as unknown as {
      components: { schemas: Record<string, { properties: Record<string, unknown> }> }
    }
    const spec = document.components.schemas['io.k8s.api.apps.v1.DeploymentSpec']
    expect(spec?.properties).toHaveProperty('replicas.format', 'int32')
    expect(Object.keys(spec?.properties ?? {})).toEqual(
      expect.arrayContaining(['paused', 'selector', 'strategy', 'template']),
    )
  })
})
