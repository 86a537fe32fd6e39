import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { disown } from './disown.ts'

const person = { manager: 'kubectl', operation: 'Update' }
const controller = { manager: 'kube-controller-manager', operation: 'Update', subresource: 'status' }
const engine = { manager: 'carabiner-rollouts', operation: 'Update' }
const removal = (index: number) => [
  { op: 'test', path: '/metadata/uid', value: 'web-uid' },
  { op: 'test', path: `/metadata/managedFields/${index}/manager`, value: 'carabiner-rollouts' },
  { op: 'test', path: `/metadata/managedFields/${index}/operation`, value: 'Update' },
  { op: 'remove', path: `/metadata/managedFields/${index}` },
]

const seen = (managedFields: readonly object[], labels = {}, resourceVersion = '1') =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'web-uid', resourceVersion, labels, managedFields },
  }) as unknown as KubeObject

/** What is asked of a server that gives these answers, one after the other, and the version that is stored then. */
async function disowned(written: KubeObject, answers: readonly (KubeObject | number)[]) {
  const { runtime } = createSimulation(1)
  const asked: unknown[] = []
  const left = answers.values()
  const transport = handlerTransport(async ({ method, body }) => {
    asked.push(method === 'PATCH' ? JSON.parse(new TextDecoder().decode(body as Uint8Array)) : method)
    const { value } = left.next()
    const [status, answer] = typeof value === 'number' ? [value, { reason: 'Conflict' }] : [200, value]
    const headers = { 'content-type': 'application/json' }
    return { status, headers, body: new TextEncoder().encode(JSON.stringify(answer)) }
  })
  const handle = createClient({ transport, runtime }).of(resources.deployments)
  const { metadata } = await disown(handle, written)
  return { asked, version: metadata.resourceVersion }
}

it('removes only the engine from the managers of a workload that is not held', async () => {
  const stored = seen([person, controller], {}, '2')
  expect(await disowned(seen([person, controller, engine]), [stored])).toEqual({ asked: [removal(2)], version: '2' })
})

it('asks nothing where the engine owns nothing, or holds', async () => {
  const ofStatus = { ...engine, subresource: 'status' }
  expect(await disowned(seen([person, ofStatus]), [])).toEqual({ asked: [], version: '1' })
  expect(await disowned(seen([engine], { 'carabiner.dev/hold': 'step' }), [])).toEqual({ asked: [], version: '1' })
})

it('looks again when the managers stand in another order by then', async () => {
  const turned = seen([person, engine, controller], {}, '2')
  const stored = seen([person, controller], {}, '3')
  expect(await disowned(seen([person, controller, engine]), [422, turned, stored])).toEqual({
    asked: [removal(2), 'GET', removal(1)],
    version: '3',
  })
  const held = seen([engine, controller], { 'carabiner.dev/hold': 'gate' }, '2')
  expect(await disowned(seen([controller, engine]), [422, held])).toEqual({ asked: [removal(1), 'GET'], version: '2' })
})

it('leaves it where that is refused, the workload has gone, or others write all the time', async () => {
  const owned = seen([engine])
  expect(await disowned(owned, [403, 403])).toEqual({ asked: [removal(0), 'GET'], version: '1' })
  expect(await disowned(owned, [404, 404])).toEqual({ asked: [removal(0), 'GET'], version: '1' })
  const { asked } = await disowned(owned, [422, owned, 422, owned, 422, owned])
  expect(asked).toHaveLength(6)
})
