import { expect, it } from 'vitest'
import { createClient } from '../../../kube/client/create.ts'
import { handlerTransport } from '../../../kube/transport/handler.ts'
import { textToBase64 } from '../../../runtime/base64.ts'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import type { DeployContext } from '../../library/deployer.ts'
import { registryConfiguration } from './registries.ts'

/** The context of an item with a pull secret that contains this text. */
function contextWith(text: string): DeployContext<unknown> {
  const data = { '.dockerconfigjson': textToBase64(text) }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull', namespace: 'shop' }, data }
  const body = new TextEncoder().encode(JSON.stringify(secret))
  const transport = handlerTransport(() =>
    Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body }),
  )
  const { runtime } = createSimulation(1)
  return {
    deployItem: { metadata: { namespace: 'shop' }, spec: { registryPullSecrets: [{ name: 'pull' }] } },
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
