import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import type { Revision } from '../observe/world.ts'
import type { Deployment } from '../policy/workload.ts'
import { changeVisibility } from './write-revision.ts'

const deployment = { metadata: { name: 'web', namespace: 'shop', uid: 'd' } } as Deployment
const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true }
const { controller: _, ...owner } = controller
const visible = { labels: { app: 'web' }, ownerReferences: [controller] }
const hidden = { labels: { 'carabiner.dev/apart': 'true' }, ownerReferences: [owner] }

/** What is written to a server that has this ReplicaSet. */
async function written(kind: 'hide' | 'unhide', metadata: object, replicas = 0): Promise<unknown> {
  const { runtime } = createSimulation(1)
  const template = { metadata: { labels: { app: 'web' } } }
  const set = {
    metadata: { name: 'web-1', uid: 'set', resourceVersion: '7', ...metadata },
    spec: { replicas, template },
  }
  let sent: unknown
  const transport = handlerTransport(async ({ method, body }) => {
    if (method === 'PATCH') sent = JSON.parse(new TextDecoder().decode(body as Uint8Array))
    const found = new TextEncoder().encode(JSON.stringify({ apiVersion: 'apps/v1', kind: 'ReplicaSet', ...set }))
    return { status: 200, headers: { 'content-type': 'application/json' }, body: found }
  })
  const revision = { name: 'web-1', uid: 'set' } as Revision
  await changeVisibility(createClient({ transport, runtime }), deployment, { kind, revision })
  return sent
}

const whole = (metadata: object) =>
  Object.entries({ ...metadata, resourceVersion: '7' }).map(([field, value]) => {
    return { op: 'add', path: `/metadata/${field}`, value }
  })

it('changes labels and owners in one write, for the version that was read', async () => {
  expect(await written('hide', visible)).toEqual(whole(hidden))
  expect(await written('unhide', hidden)).toEqual(whole(visible))
})

it('writes nothing that is so already', async () => {
  expect(await written('hide', hidden)).toBeUndefined()
  expect(await written('unhide', visible)).toBeUndefined()
})

it('leaves alone what is in use, and what another one has been made in the place of', async () => {
  expect(await written('hide', visible, 2)).toBeUndefined()
  expect(await written('hide', { ...visible, uid: 'other' })).toBeUndefined()
})
