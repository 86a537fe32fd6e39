/**
 * The container deployer: one pod per run with the expected environment, kept state, and deletion only after the
 * cleanup pod has finished.
 */
import { describe, expect, it } from 'vitest'
import { containerDeployer } from '../../src/deployers/stock/container/deployer.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import type { Behaviour } from '../../src/sandbox/index.ts'
import { deploying, type Stage } from './deploying.ts'

type Pod = KubeObject & {
  spec: {
    initContainers: { name: string }[]
    containers: {
      name: string
      image: string
      env: { name: string; value: string }[]
      volumeMounts: { mountPath: string }[]
    }[]
    volumes: { name: string; projected?: { sources: { secret: { name: string } }[] } }[]
    securityContext: object
    imagePullSecrets?: { name: string }[]
  }
}

const config = (more: object = {}) => ({
  apiVersion: 'container.deployer.landscaper.gardener.cloud/v1alpha1',
  kind: 'ProviderConfiguration',
  image: 'tool:1',
  command: ['work'],
  importValues: { a: 1 },
  ...more,
})

/** The behaviour of the main container; init and wait finish within seconds. */
const play = (main: Partial<Behaviour>, scenario: (stage: Stage) => Promise<void>) =>
  deploying(() => containerDeployer(), scenario, { simulate: { script: (_, { name }) => behaviours(main)[name] } })

const behaviours = (main: Partial<Behaviour>): Record<string, Partial<Behaviour>> => ({
  init: { runFor: 1_000 },
  main: { runFor: 5_000, ...main },
  wait: { runFor: 10_000 },
})

const pods = ({ cluster }: Stage) => cluster.list<Pod>(resources.pods)
const secrets = async ({ cluster }: Stage) =>
  (await cluster.list(resources.secrets))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('item-'))

/** Writes the Secrets that the `wait` container writes, once the pod exists. */
async function writeResult(stage: Stage, exports?: string, chunks: readonly string[] = []): Promise<string> {
  const [pod] = await stage.cluster.until(
    () => pods(stage),
    (found) => found.length > 0,
    30,
  )
  const run = pod?.metadata.name ?? ''
  const names = chunks.map((chunk) => `${run}-${chunk}`)
  const create = (name: string, stringData: object) =>
    stage.cluster.create(resources.secrets, { metadata: { name }, stringData } as never)
  for (const name of names) await create(name, { chunk: 'x' })
  await create(`${run}-result`, { chunks: names.join(' '), ...(exports === undefined ? {} : { config: exports }) })
  return run
}

describe('the container deployer', () => {
  it('runs one pod with the environment of the image and passes on its exports', () =>
    play({}, async (stage) => {
      const run = stage.reconcile(config())
      const name = await writeResult(stage, '{"url":"http://x"}')
      const [pod] = await pods(stage)
      expect(pod?.spec.initContainers.map((one) => one.name)).toEqual(['init'])
      expect(pod?.spec.containers.map((one) => `${one.name} ${one.image}`)[0]).toBe('main tool:1')
      const [main, wait] = pod?.spec.containers ?? []
      expect(Object.fromEntries((main?.env ?? []).map((one) => [one.name, one.value]))).toEqual({
        OPERATION: 'RECONCILE',
        IMPORTS_PATH: '/data/ls/shared/imports/import.json',
        EXPORTS_PATH: '/data/ls/shared/exports/values',
        STATE_PATH: '/data/ls/shared/state',
        CONTENT_PATH: '/data/ls/shared/content',
        COMPONENT_DESCRIPTOR_PATH: '/data/ls/shared/component_descriptor.json',
        CONFIGURATION_PATH: '/data/ls/internal/configuration.json',
        REGISTRY_SECRETS_DIR: '/data/ls/registry_secrets',
      })
      const mounts = (one: typeof main) => one?.volumeMounts.map(({ mountPath }) => mountPath)
      expect(mounts(main)).not.toContain('/var/run/secrets/kubernetes.io/serviceaccount')
      expect(mounts(wait)).toContain('/var/run/secrets/kubernetes.io/serviceaccount')
      expect(pod?.spec.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000 })
      expect(await run).toBe('done')
      expect(stage.item().exports).toEqual({ url: 'http://x' })
      expect(stage.item().status.providerStatus).toMatchObject({
        lastOperation: 'RECONCILE',
        podStatus: { podName: name, containerStatus: { image: 'tool:1' } },
      })
      expect([await pods(stage), await secrets(stage)]).toEqual([[], []])
    }))

  it.each([[['a', 1]], ['text'], [7], [null], [{ a: 1 }]])('takes the import values %j', (importValues) =>
    play({}, async (stage) => {
      const run = stage.reconcile(config({ importValues }))
      const name = await writeResult(stage)
      const input = await stage.cluster.get<{ data: Record<string, string> } & KubeObject>(
        resources.secrets,
        `${name}-input`,
      )
      expect(JSON.parse(atob(input.data['import.json'] ?? ''))).toEqual(importValues)
      expect(await run).toBe('done')
    }),
  )

  it('neither mounts nor deletes what the status names and the deployer did not create', () =>
    play({}, async (stage) => {
      await stage.cluster.create(resources.secrets, {
        metadata: { name: 'admin' },
        stringData: { chunk: 'x' },
      } as never)
      const names = { state: ['admin'], podStatus: { podName: 'admin' } }
      stage.item().status.providerStatus = { apiVersion: 'x/v1', kind: 'ProviderStatus', ...names }
      const run = stage.reconcile(config())
      await writeResult(stage)
      expect(JSON.stringify((await pods(stage))[0]?.spec.volumes)).not.toContain('admin')
      expect(await run).toBe('done')
      expect(stage.written().filter((one) => one.endsWith('/admin'))).toEqual([])
      expect(await stage.cluster.get(resources.secrets, 'admin')).toBeDefined()
    }))

  it('gives the credentials of registries to the kubelet and not to the container of the author', () =>
    play({}, async (stage) => {
      await stage.cluster.create(resources.secrets, {
        metadata: { name: 'pull' },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': '{"auths":{"registry.example.org":{"password":"planted"}}}' },
      } as never)
      const run = stage.reconcile(config(), 'item', { registryPullSecrets: [{ name: 'pull' }] })
      const name = await writeResult(stage)
      const [pod] = await pods(stage)
      expect(pod?.spec.imagePullSecrets).toEqual([{ name: `${name}-pull` }])
      expect(JSON.stringify([pod?.spec.volumes, pod?.spec.containers])).not.toContain(`${name}-pull`)
      expect(await run).toBe('done')
      expect(await secrets(stage)).toEqual([])
    }))

  it('passes the state of the last run to the next one and deletes older state', () =>
    play({}, async (stage) => {
      const first = stage.reconcile(config())
      const one = await writeResult(stage, undefined, ['aaaa', 'aaab'])
      expect(await first).toBe('done')
      expect(await secrets(stage)).toEqual([`${one}-aaaa`, `${one}-aaab`])
      const second = stage.reconcile(config())
      const two = await writeResult(stage, undefined, ['aaaa'])
      const chunks = (await pods(stage))[0]?.spec.volumes.find(({ name }) => name === 'chunks')
      expect(chunks?.projected?.sources.map(({ secret }) => secret.name)).toEqual([`${one}-aaaa`, `${one}-aaab`])
      expect(await second).toBe('done')
      expect(await secrets(stage)).toEqual([`${two}-aaaa`])
    }))

  it('fails with the exit code of the container and keeps its state', () =>
    play({ exitCode: 3 }, async (stage) => {
      const run = stage.reconcile(config())
      const name = await writeResult(stage, undefined, ['aaaa'])
      await run
      const { phase, lastError, providerStatus } = stage.item().status
      expect([phase, lastError?.message]).toEqual(['Failed', 'container main ended with exit code 3'])
      expect(providerStatus?.['state']).toEqual([`${name}-aaaa`])
      expect(await pods(stage)).toHaveLength(1)
    }))

  it('fails when the image cannot be pulled and deletes the pod', () =>
    play({ imageMissing: true }, async (stage) => {
      await stage.reconcile(config())
      const { phase, lastError } = stage.item().status
      expect([phase, lastError?.reason]).toEqual(['Failed', expect.stringMatching(/ImagePull/)])
      await stage.cluster.sleep(60)
      expect(await pods(stage)).toEqual([])
    }))

  it('fails when the exports are not an object', () =>
    play({}, async (stage) => {
      const run = stage.reconcile(config())
      await writeResult(stage, '[1]')
      await run
      expect(stage.item().status.lastError?.message).toContain('EXPORTS_PATH does not hold a JSON object')
    }))

  it('adopts its pod after a crash and starts no second one', () =>
    play({}, async (stage) => {
      const run = stage.reconcile(config())
      await writeResult(stage)
      expect(await run).toBe('done')
      stage.written()
      expect(await stage.call(config())).toBeUndefined()
      expect(stage.written().filter((one) => one.startsWith('POST'))).toEqual([])
    }))

  it('[deployers B14] deletes its objects only after the cleanup pod has finished', () =>
    play({}, async (stage) => {
      const run = stage.reconcile(config())
      const one = await writeResult(stage, undefined, ['aaaa'])
      expect(await run).toBe('done')
      let over = false
      const removal = stage.remove(config()).then((said) => {
        over = true
        return said
      })
      await writeResult(stage)
      expect((await pods(stage))[0]?.spec.containers[0]?.env).toContainEqual({ name: 'OPERATION', value: 'DELETE' })
      expect([over, await secrets(stage)]).toEqual([false, expect.arrayContaining([`${one}-aaaa`])])
      expect(await removal).toBe('done')
      expect([await pods(stage), await secrets(stage)]).toEqual([[], []])
    }))

  it('keeps the item when the cleanup fails', () =>
    play({ exitCode: 1 }, async (stage) => {
      stage.item().status.providerStatus = { apiVersion: 'x/v1', kind: 'ProviderStatus' }
      expect(await stage.remove(config())).toBe('done')
      expect(stage.item().status.phase).toBe('Failed')
    }))

  it('runs no cleanup pod when it never started', () =>
    play({}, async (stage) => {
      expect(await stage.remove(config())).toBe('done')
      expect(stage.written()).toEqual([])
    }))
})
