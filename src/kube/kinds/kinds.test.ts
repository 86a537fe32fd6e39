import { describe, expect, expectTypeOf, it } from 'vitest'
import type { KubeClient, ResourceClient } from '../client/client.ts'
import type { KubeObject, ResourceType } from '../object.ts'
import { type Deployment, type Pod, resources } from './index.ts'

describe('resources', () => {
  it('carry the type of their objects to client.of', () => {
    const typesOnly = (client: KubeClient) => ({
      deployments: client.of(resources.deployments),
      pods: client.of<Pod>(resources.pods),
      metadataOnly: client.of<KubeObject>(resources.pods),
      discovered: client.of({ ...resources.pods } as ResourceType),
    })
    type Handles = ReturnType<typeof typesOnly>
    expectTypeOf<Handles['deployments']>().toEqualTypeOf<ResourceClient<Deployment>>()
    expectTypeOf<Handles['pods']>().toEqualTypeOf<ResourceClient<Pod>>()
    expectTypeOf<Handles['metadataOnly']>().toEqualTypeOf<ResourceClient>()
    expectTypeOf<Handles['discovered']>().toEqualTypeOf<ResourceClient>()
  })

  it('name group, version and scope', () => {
    expect(resources.deployments).toEqual({
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      kind: 'Deployment',
      namespaced: true,
    })
    expect(resources.nodes).toEqual({ group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false })
  })
})
