/** Many manifest items with the real deployer library: number of writes, and isolation from items with an unreachable target. */
import { describe, expect, it } from 'vitest'
import { manifestDeployer, manifestType } from '../../src/deployers/stock/manifest/deployer.ts'
import { createTargets, type Targets } from '../../src/deployers/targets/clients.ts'
import type { Connection } from '../../src/kube/config/connection.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { namespace, onStage, type Stage } from './deployers.ts'

const kubeconfig = (server: string) =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c' } }],
    clusters: [{ name: 'c', cluster: { server } }],
  })

const configOf = (name: string, objects: number) => ({
  apiVersion: 'manifest.deployer.landscaper.gardener.cloud/v1alpha1',
  kind: 'ProviderConfiguration',
  manifests: Array.from({ length: objects }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${index}`, namespace },
    data: { a: '1' },
  })),
})

/** Targets by host: `away` never responds, all others are the sandbox. */
function targetsOn({ runtime, client }: Stage): Targets {
  const answers = async (connection: Connection) => {
    const away = connection.server.includes('away')
    const raw: typeof client.raw = (...call) => (away ? new Promise(() => {}) : client.raw(...call))
    return { client: { ...client, raw }, connection, close: async () => {} }
  }
  return createTargets(runtime, {}, answers)
}

async function target({ client }: Stage, name: string): Promise<void> {
  await client
    .of({
      group: 'landscaper.gardener.cloud',
      version: 'v1alpha1',
      resource: 'targets',
      kind: 'Target',
      namespaced: true,
    })
    .create({
      apiVersion: 'landscaper.gardener.cloud/v1alpha1',
      kind: 'Target',
      metadata: { name, namespace },
      spec: {
        type: 'landscaper.gardener.cloud/kubernetes-cluster',
        config: { kubeconfig: kubeconfig(`https://${name}:1`) },
      },
    } as never)
}

const item = (stage: Stage, name: string, to: string, objects = 1) =>
  stage.item({ type: manifestType, target: { name: to }, config: configOf(name, objects) }, { name })

describe('manifest items', () => {
  it('[deployers P5] need at most six writes besides their objects, and none when nothing changed', () =>
    onStage(async (stage) => {
      const targets = targetsOn(stage)
      await target(stage, 'near')
      let stop = await stage.deploy(manifestDeployer(targets))
      stage.writes()
      await item(stage, 'one', 'near', 5)
      await stage.untilPhase('Succeeded', 'one')
      expect(stage.writes().length).toBeLessThanOrEqual(6)
      expect((await stage.client.of(resources.configMaps).list({ namespace })).items).toHaveLength(5)

      await stop()
      const before = await stage.get('one')
      stop = await stage.deploy(manifestDeployer(targets))
      await stage.sleep(600)
      expect(stage.writes()).toEqual([])
      expect((await stage.get('one')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)

      const versions = async () =>
        (await stage.client.of(resources.configMaps).list({ namespace })).items.map(
          ({ metadata }) => metadata.resourceVersion,
        )
      const objects = await versions()
      await stage.annotate({ 'landscaper.gardener.cloud/operation': 'reconcile' }, 'one')
      await stage.until(
        ({ status }) => status?.phase === 'Succeeded' && status.lastReconcileTime !== before.status?.lastReconcileTime,
        'one',
      )
      expect(await versions()).toEqual(objects)
      await stop()
      await targets.close()
    }))

  it('[deployers P4] are not delayed by items with an unreachable target', () =>
    onStage(async (stage) => {
      const targets = targetsOn(stage)
      await target(stage, 'away')
      await target(stage, 'near')
      const stop = await stage.deploy(manifestDeployer(targets), { workers: 5 })
      for (let index = 0; index < 50; index += 1) await item(stage, `lost-${index}`, 'away')
      await stage.until(({ status }) => status?.lastError !== undefined, 'lost-0')
      const started = stage.runtime.clock.now()
      for (let index = 0; index < 20; index += 1) await item(stage, `fine-${index}`, 'near')
      for (let index = 0; index < 20; index += 1) await stage.untilPhase('Succeeded', `fine-${index}`)
      expect(stage.runtime.clock.now() - started).toBeLessThan(3_000)
      const { status } = await stage.get('lost-0')
      expect(status?.lastError?.message).toBe('target "default/away": no answer within 5 s')
      // Retrying before the target is checked again would only cost writes.
      stage.writes()
      await stage.sleep(30)
      expect(stage.writes().filter((one) => one.includes('/lost-0')).length).toBeLessThanOrEqual(3)
      await stop()
      await targets.close()
    }))
})
