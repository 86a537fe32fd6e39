/**
 * The manifest deployer is killed before and after every write: its successor brings the item to the same end, and no object is lost or
 * left behind.
 */
import { describe, expect, it } from 'vitest'
import { definitions } from '../../src/deployers/index.ts'
import { type DeployItem, landscaperResources } from '../../src/deployers/resources/types.ts'
import { manifestDeployer, manifestType } from '../../src/deployers/stock/manifest/deployer.ts'
import { createClient } from '../../src/kube/client/create.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { handlerTransport } from '../../src/kube/transport/handler.ts'
import { install } from '../../src/operator/install.ts'
import { createSimulation } from '../../src/runtime/simulated/index.ts'
import { ApiServer } from '../../src/sandbox/index.ts'
import { type Fault, keepRunning, untilDeleted } from './deploy-world.ts'

const namespace = 'default'

const configOf = (objects: Readonly<Record<string, string>>) => ({
  apiVersion: 'manifest.deployer.landscaper.gardener.cloud/v1alpha1',
  kind: 'ProviderConfiguration',
  manifests: Object.entries(objects).map(([name, a]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: { a },
  })),
  exports: {
    exports: [
      { key: 'a', jsonPath: '.data.a', fromResource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace } },
    ],
  },
})

/** Whether the user waits for the deployer before each change of the item, or changes it while no deployer runs. */
type User = 'waits' | 'does not wait'

interface Story {
  /** The item and the objects after each step. */
  readonly chapters: readonly unknown[]
  readonly writes: number
  /** Writes until the item succeeded for the first time. */
  readonly first: number
}

async function playStory(fault?: Fault, user: User = 'waits'): Promise<Story> {
  const simulation = createSimulation(1)
  const chapters: unknown[] = []
  let writes = 0
  let first = 0
  await simulation.run(async () => {
    const { runtime } = simulation
    const server = new ApiServer(runtime)
    const client = createClient({ transport: handlerTransport(server.as()), runtime })
    const ending = new AbortController()
    const plug = { name: 'deployers', resources: definitions, start: () => Promise.reject(new Error('unused')) }
    await install(client, runtime, [plug], ending.signal)
    const operators = keepRunning(runtime, {
      openTransport: () => handlerTransport(server.as()),
      createDeployer: manifestDeployer,
      nextFault: () => {
        writes += 1
        return writes === fault?.at ? fault.when : undefined
      },
      signal: ending.signal,
    })

    const items = client.of<DeployItem>(landscaperResources.deployItems)
    const settled = async (generation: number) => {
      for (let waited = 0; waited < 900; waited += 1) {
        const { status, metadata } = await items.get('item', { namespace })
        if (status?.phase === 'Succeeded' && status.observedGeneration === generation) return { status, metadata }
        await runtime.clock.sleep(1000)
      }
      throw new Error(`not settled: ${JSON.stringify((await items.get('item', { namespace })).status)}`)
    }
    const readChapter = async (item?: Awaited<ReturnType<typeof settled>>) => {
      const configMaps = (await client.of<KubeObject & { data?: object }>(resources.configMaps).list({ namespace }))
        .items
      const managed = item?.status.providerStatus?.['managedResources'] as { resource: { name: string } }[] | undefined
      return {
        objects: configMaps.map(({ metadata, data }) => [metadata.name, data, metadata.labels]),
        managed: managed?.map(({ resource }) => resource.name),
        finalizers: item?.metadata.finalizers,
        error: item?.status.lastError,
        exported: item?.status.exportRef,
      }
    }

    await items.create({
      apiVersion: 'landscaper.gardener.cloud/v1alpha1',
      kind: 'DeployItem',
      metadata: { name: 'item', namespace },
      spec: { type: manifestType, config: configOf({ a: '1', b: '1' }) as never },
    })
    if (user === 'waits') chapters.push(await readChapter(await settled(1)))
    else while (writes < (fault?.at ?? 0)) await runtime.clock.sleep(1000)
    first = writes
    const value = { spec: { config: configOf({ a: '2', c: '1' }) } }
    await items.patch('item', { type: 'merge', value }, { namespace })
    chapters.push(await readChapter(await settled(2)))
    await items.delete('item', { namespace })
    await untilDeleted(() => items.get('item', { namespace }), runtime)
    chapters.push(await readChapter())
    ending.abort()
    await operators
  })
  return { chapters, writes, first }
}

describe('a manifest deployer that is killed', () => {
  it('reaches the same end whichever write it is killed at', async () => {
    const { chapters, writes, first } = await playStory()
    expect(chapters).toMatchObject([
      { managed: ['a', 'b'], error: undefined },
      { managed: ['a', 'c'], error: undefined },
      { objects: [] },
    ])
    const different: unknown[] = []
    const compare = (expected: readonly unknown[], story: Story, fault: Fault, user: User) => {
      if (JSON.stringify(story.chapters) !== JSON.stringify(expected)) different.push({ fault, user, ...story })
    }
    for (let at = 1; at <= writes; at += 1) {
      for (const when of ['before', 'after'] as const) {
        compare(chapters, await playStory({ at, when }), { at, when }, 'waits')
        if (at > first) continue
        compare(chapters.slice(1), await playStory({ at, when }, 'does not wait'), { at, when }, 'does not wait')
      }
    }
    expect(writes).toBeGreaterThan(12)
    expect(different).toEqual([])
  }, 120_000)
})
