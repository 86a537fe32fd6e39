import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { findItem } from './items.ts'

it('a missing item is reported without the right to list the others', async () => {
  const { runtime } = createSimulation(1)
  const transport = handlerTransport(async ({ target }) => {
    const code = target.endsWith('/web') ? 404 : 403
    const reason = code === 404 ? 'NotFound' : 'Forbidden'
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason }
    return { status: code, headers: {}, body: new TextEncoder().encode(JSON.stringify(status)) }
  })
  const client = createClient({ transport, runtime })
  await expect(findItem({ client, namespace: 'shop' }, 'web')).rejects.toMatchObject({
    code: 'CRB_USAGE',
    message: 'there is no DeployItem shop/web',
    remedy: 'Check the name; -n chooses another namespace than shop.',
  })
})
