import { expect, it } from 'vitest'
import { createClient } from '../../../kube/client/create.ts'
import { handlerTransport } from '../../../kube/transport/handler.ts'
import { textToBase64 } from '../../../runtime/base64.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import type { DeployContext } from '../../library/deployer.ts'
import { registryConfiguration } from './registries.ts'

/** The context of an item in the namespace `shop` with a pull secret that contains this text. */
function contextWith(text: string, references: readonly object[] = [{ name: 'pull' }]): DeployContext<unknown> {
  const data = { '.dockerconfigjson': textToBase64(text) }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull', namespace: 'shop' }, data }
  const body = new TextEncoder().encode(JSON.stringify(secret))
  const transport = handlerTransport(() =>
    Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body }),
  )
  const { runtime } = createSimulation(1)
  return {
    deployItem: { metadata: { namespace: 'shop' }, spec: { registryPullSecrets: references } },
    lsContext: {},
    clients: { landscaper: createClient({ transport, runtime }) },
  } as unknown as DeployContext<unknown>
}

it('reads registry passwords with non-ASCII characters', async () => {
  const auths = { 'registry.example.org': { username: 'ci', password: 'Schlüssel €' } }
  expect(await registryConfiguration(contextWith(JSON.stringify({ auths })))).toEqual({ auths })
})

it('names a pull secret without credentials and does not quote its content', async () => {
  const refused = registryConfiguration(contextWith('{"auths": "s3cret"}'))
  await expect(refused).rejects.toThrow('the registry pull secret "shop/pull" has no .dockerconfigjson with auths.')
})

it('refuses a pull secret of another namespace, which the author of the item may not read', async () => {
  const stranger = contextWith('{"auths":{"a":{}}}', [{ name: 'pull', namespace: 'kube-system' }])
  await expect(registryConfiguration(stranger)).rejects.toMatchObject({
    codes: ['ERR_CONFIGURATION_PROBLEM'],
    message: expect.stringContaining('"kube-system/pull" is outside the item\'s namespace "shop"'),
  })
  const fromContext = {
    ...contextWith('{"auths":{"a":{}}}', []),
    lsContext: { registryPullSecrets: [{ name: 'a', namespace: 'b' }] },
  }
  await expect(registryConfiguration(fromContext as never)).rejects.toThrow('"b/a" is outside the item\'s namespace')
  const own = contextWith('{"auths":{"a":{}}}', [{ name: 'pull', namespace: 'shop' }])
  expect(await registryConfiguration(own)).toEqual({ auths: { a: {} } })
})
