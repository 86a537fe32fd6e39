/** A sandbox with a data folder after a crash: controllers and nodes continue with the objects they find. */
import { expect, it } from 'vitest'
import { createClient } from '../../src/kube/client/create.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { createSimulation, type Simulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox, openDataFolder } from '../../src/sandbox/index.ts'
import { podTemplate } from './cluster.ts'

async function startSandbox({ runtime }: Simulation) {
  const data = await openDataFolder(runtime, '/data')
  const journal = data.journal({})
  const sandbox = createSandbox(runtime, { journal, nodes: 2, ...(data.saved && { state: data.saved.state }) })
  await sandbox.ready
  const client = createClient({ transport: sandbox.transport(), runtime })
  const pods = async (app: string) => (await client.of(resources.pods).list({ labelSelector: `app=${app}` })).items
  return { client, pods, sandbox, clock: runtime.clock }
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
}

it('restarts containers by the policy of their pods, keeps custom resources and goes on with controllers', async () => {
  const simulation = createSimulation(1)
  const namespace = 'default'
  await simulation.run(async () => {
    const { client, pods, clock } = await startSandbox(simulation)
    await client.of(resources.deployments).create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: podTemplate() },
    })
    for (const [name, annotations] of [
      ['once', { 'sandbox.carabiner.dev/run-for': 'forever' }],
      ['over', { 'sandbox.carabiner.dev/run-for': '1s' }],
    ] as const)
      await client.of(resources.pods).create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace, labels: { app: name }, annotations },
        spec: { restartPolicy: 'Never', containers: [{ name: 'one', image: 'one:1' }] },
      })
    await client.raw('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    await clock.sleep(10_000)
    const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'one' }, size: 3 }
    await client.raw('POST', '/apis/example.com/v1/things', thing)
    expect((await pods('web')).map(({ status }) => status?.phase)).toEqual(['Running', 'Running'])
    expect((await pods('over'))[0]?.status?.phase).toBe('Succeeded')
  })
  simulation.crash()
  await simulation.run(async () => {
    const { client, pods, clock, sandbox } = await startSandbox(simulation)
    await clock.sleep(30_000)
    expect(await client.raw('GET', '/apis/example.com/v1/things/one')).toMatchObject({ size: 3 })
    const web = await pods('web')
    expect(web.map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1])
    expect(web[0]?.status?.containerStatuses?.[0]).toMatchObject({
      ready: true,
      lastState: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    })
    expect((await pods('once'))[0]?.status).toMatchObject({ phase: 'Failed' })
    expect((await pods('over'))[0]?.status).toMatchObject({ phase: 'Succeeded' })
    await client
      .of(resources.deployments)
      .patch('web', { type: 'merge', value: { spec: { replicas: 3 } } }, { namespace })
    await clock.sleep(10_000)
    const deployment = await client.of(resources.deployments).get('web', { namespace })
    expect(deployment.status).toMatchObject({ replicas: 3, readyReplicas: 3 })
    await sandbox.stop()
  })
})
