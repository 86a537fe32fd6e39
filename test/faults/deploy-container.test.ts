/**
 * The container deployer is killed at every write: each run has exactly one pod, and the item is deleted only after the pod of the
 * deletion.
 */
import { expect, it } from 'vitest'
import { definitions } from '../../src/deployers/index.ts'
import { type DeployItem, landscaperResources } from '../../src/deployers/resources/types.ts'
import { containerDeployer, containerType } from '../../src/deployers/stock/container/deployer.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { install } from '../../src/operator/install.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { type Fault, keepRunning, untilDeleted } from './deploy-world.ts'

const namespace = 'default'
const config = {
  apiVersion: 'container.deployer.landscaper.gardener.cloud/v1alpha1',
  kind: 'ProviderConfiguration',
  image: 'tool:1',
}

async function playStory(fault?: Fault): Promise<{ readonly story: unknown; readonly writes: number }> {
  const simulation = createSimulation(1)
  const pods: string[] = []
  let writes = 0
  let left: unknown
  await simulation.run(async () => {
    const { runtime } = simulation
    const sandbox = createSandbox(runtime, { nodes: 1 })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime })
    const ending = new AbortController()
    const plug = { name: 'deployers', resources: definitions, start: () => Promise.reject(new Error('unused')) }
    await install(client, runtime, [plug], ending.signal)
    const watching = (async () => {
      for await (const event of client.of(resources.pods).watch({ namespace, signal: ending.signal }))
        if (event.type === 'ADDED') pods.push(event.object.metadata.name.replace(/-[0-9a-f]{10}-1$/, ''))
    })().catch(() => undefined)
    const operators = keepRunning(runtime, {
      openTransport: () => sandbox.transport(),
      createDeployer: () => containerDeployer(),
      nextFault: () => {
        writes += 1
        return writes === fault?.at ? fault.when : undefined
      },
      signal: ending.signal,
    })
    const items = client.of<DeployItem>(landscaperResources.deployItems)
    await items.create({
      apiVersion: 'landscaper.gardener.cloud/v1alpha1',
      kind: 'DeployItem',
      metadata: { name: 'item', namespace },
      spec: { type: containerType, config },
    })
    for (let phase = ''; phase !== 'Succeeded'; phase = (await items.get('item', { namespace })).status?.phase ?? '')
      await runtime.clock.sleep(1000)
    await items.delete('item', { namespace })
    await untilDeleted(() => items.get('item', { namespace }), runtime)
    await runtime.clock.sleep(60_000)
    const names = async (type: typeof resources.pods | typeof resources.secrets) =>
      (await client.of(type).list({ namespace })).items.map(({ metadata }) => metadata.name)
    left = [await names(resources.pods), await names(resources.secrets)]
    ending.abort()
    await Promise.all([operators, watching])
    await sandbox.stop()
  })
  return { story: { pods, left }, writes }
}

it('a container deployer that is killed at any write runs each pod once', async () => {
  const { story, writes } = await playStory()
  expect(story).toEqual({ pods: ['item-reconcile', 'item-delete'], left: [[], []] })
  const different: unknown[] = []
  for (let at = 1; at <= writes; at += 1) {
    for (const when of ['before', 'after'] as const) {
      const other = await playStory({ at, when })
      if (JSON.stringify(other.story) !== JSON.stringify(story)) different.push({ at, when, ...other })
    }
  }
  expect(writes).toBeGreaterThan(15)
  expect(different).toEqual([])
}, 120_000)
