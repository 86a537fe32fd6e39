/** Webhook and conversion hooks in virtual time: late responses, dry runs, and registration across restarts. */
import { describe, expect, it } from 'vitest'
import type { WebhookOptions } from '../../src/addons/scripts/index.ts'
import { type KubeObject, resources } from '../../src/kube/index.ts'
import { type HookPlay, playScripts, type Stage } from './scripts.ts'

const place = (port: number) => ({ listen: { host: '127.0.0.1', port } })
const webhooks: WebhookOptions = {
  admission: { ...place(9680), name: 'shell-operator-hooks', failurePolicy: 'Fail' },
  conversion: place(9681),
  issue: () => ({ ca: 'CA', cert: 'CERT', key: 'KEY' }),
}
const options = { surface: { webhooks } }

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }]
const validating = (more: object = {}) => ({
  configVersion: 'v1',
  kubernetesValidating: [{ name: 'a.example.com', rules, ...more }],
})

type Run = NonNullable<HookPlay['run']>

const answering =
  (answer: object): Run =>
  async (process) => {
    await write(process, 'VALIDATING_RESPONSE_PATH', answer)
    return 0
  }

async function write(process: Parameters<Run>[0], variable: string, content: object) {
  await process.runtime.files.write(process.spec.env[variable] ?? '', JSON.stringify(content))
}

const create = ({ client }: Stage, name: string, dryRun = false) =>
  client
    .of(resources.configMaps)
    .create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } }, { dryRun })

type Definition = KubeObject & { spec: { conversion?: { strategy: string } } }

async function define({ client }: Stage): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await client.of(resources.customResourceDefinitions).create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boxes.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'boxes', kind: 'Box' },
      versions: [
        { name: 'v1', served: true, storage: true, schema },
        { name: 'v2', served: true, storage: false, schema },
      ],
    },
  })
}

describe('webhook hooks', () => {
  it('[addons A12] refuse before the timeout of the API server when the hook is too slow', () =>
    playScripts(
      {
        'slow.sh': {
          config: validating({ timeoutSeconds: 4 }),
          run: async ({ trap, runtime }) => {
            trap('SIGTERM', () => {})
            await runtime.clock.sleep(9000)
            return 0
          },
        },
      },
      async (stage) => {
        await stage.start()
        const begun = stage.runtime.clock.monotonic()
        await expect(create(stage, 'a')).rejects.toThrow(
          'denied the request: hook slow.sh failed: took longer than 3.5 s',
        )
        expect(stage.runtime.clock.monotonic() - begun).toBeLessThan(4000)
      },
      options,
    ))

  it('log a missing response and return it to the client', () =>
    playScripts(
      { 'mute.sh': { config: validating() } },
      async (stage) => {
        await stage.start()
        await expect(create(stage, 'a')).rejects.toThrow('hook mute.sh left no answer in $VALIDATING_RESPONSE_PATH')
        expect(stage.simulation.logs.filter(({ level }) => level === 'error')).toMatchObject([
          {
            message: 'hook gave an invalid answer',
            fields: { hook: 'mute.sh', binding: 'a.example.com', event: 'Validating' },
          },
        ])
      },
      options,
    ))

  it('[addons A14] change nothing for a dry run', () =>
    playScripts(
      {
        'busy.sh': {
          config: validating(),
          run: async (process) => {
            const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'made', namespace: 'default' } }
            await write(process, 'KUBERNETES_PATCH_PATH', { operation: 'Create', object })
            await write(process, 'VALIDATING_RESPONSE_PATH', { allowed: true })
            return 0
          },
        },
      },
      async (stage) => {
        await stage.start()
        const secrets = stage.client.of(resources.secrets)
        await create(stage, 'a', true)
        await expect(secrets.get('made', { namespace: 'default' })).rejects.toThrow('not found')
        await create(stage, 'a')
        expect((await secrets.get('made', { namespace: 'default' })).metadata.name).toBe('made')
      },
      options,
    ))

  it('[addons A9] respond while their queue is blocked', () =>
    playScripts(
      {
        'busy.sh': { config: { configVersion: 'v1', onStartup: 1 }, run: async () => 1 },
        'judge.sh': { config: validating(), run: answering({ allowed: false, message: 'never' }) },
      },
      async (stage) => {
        void stage.start()
        await stage.sleep(2)
        await expect(create(stage, 'a')).rejects.toThrow('denied the request: never')
      },
      options,
    ))

  it('[addons A8, A11] restore the conversion webhook of a definition when another writer removes it, and remove it with the hook', () => {
    const hooks: Record<string, HookPlay> = {
      'convert.sh': {
        config: {
          configVersion: 'v1',
          kubernetesCustomResourceConversion: [
            { name: 'up', crdName: 'boxes.example.com', conversions: [{ fromVersion: 'v1', toVersion: 'v2' }] },
          ],
        },
      },
    }
    return playScripts(
      hooks,
      async (stage) => {
        await stage.start()
        await define(stage)
        await stage.sleep(5)
        const definitions = stage.client.of<Definition>(resources.customResourceDefinitions)
        const strategy = async () => (await definitions.get('boxes.example.com')).spec.conversion
        const client = { url: 'https://127.0.0.1:9681/boxes.example.com', caBundle: btoa('CA') }
        const wanted = {
          strategy: 'Webhook',
          webhook: { clientConfig: client, conversionReviewVersions: ['v1'] },
        }
        expect(await strategy()).toEqual(wanted)
        const oneWay = stage.simulation.logs.filter(({ message }) => message.startsWith('no hook converts back'))
        expect(oneWay.map(({ fields }) => fields)).toMatchObject([
          { definition: 'boxes.example.com', from: 'example.com/v1', to: 'example.com/v2' },
        ])
        const back = { type: 'merge', value: { spec: { conversion: { strategy: 'None', webhook: null } } } } as const
        await definitions.patch('boxes.example.com', back)
        await stage.sleep(5)
        expect(await strategy()).toEqual(wanted)
        await stage.stop()
        expect(await strategy()).toEqual(wanted)
        await stage.runtime.files.remove('/hooks/convert.sh')
        await stage.start()
        await stage.sleep(5)
        expect(await strategy()).toEqual({ strategy: 'None' })
        const { metadata } = await definitions.get('boxes.example.com')
        expect(metadata.labels ?? {}).toEqual({})
      },
      options,
    )
  })
})
