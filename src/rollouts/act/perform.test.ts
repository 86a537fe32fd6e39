import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import type { Write } from '../decide/decision.ts'
import type { Revision, World } from '../observe/world.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import { type Hands, perform } from './perform.ts'

const metadata = { name: 'web', namespace: 'shop', resourceVersion: '1' }
const policy = { apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata } as RolloutPolicy
const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata } as World['workload']
const [open, told, back]: readonly Write[] = [
  { kind: 'workload', patch: { spec: { paused: false } } },
  { kind: 'status', status: {} },
  { kind: 'bring-back', revision: { name: 'web-1', uid: 'set' } as Revision },
]
const hold: Write = { kind: 'workload', patch: { metadata: { labels: { 'carabiner.dev/hold': 'step' } } } }

/** What is asked of a server that has this version of everything. */
async function asked(
  version: string,
  writes: readonly (Write | undefined)[],
  labels?: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { runtime } = createSimulation(1)
  const requests: string[] = []
  const transport = handlerTransport(async ({ method, target }) => {
    requests.push(`${method} ${target.split('?', 1)[0]?.split('/').slice(-2).join('/')}`)
    const body = new TextEncoder().encode(
      JSON.stringify({ ...policy, metadata: { ...metadata, resourceVersion: version } }),
    )
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  })
  const hands = { client: createClient({ transport, runtime }), reports: { told: () => undefined } }
  const seen = labels === undefined ? workload : { ...workload, metadata: { ...metadata, labels } }
  await perform(hands as unknown as Hands, { policy, workload: seen } as World, writes as readonly Write[])
  return requests
}

it('asks whether the ledger is the last one before it opens a workload and tells so afterwards', async () => {
  expect(await asked('1', [open, told])).toEqual(['GET rolloutpolicies/web', 'PATCH deployments/web', 'PUT web/status'])
  expect(await asked('2', [open, told])).toEqual(['GET rolloutpolicies/web'])
})

it('asks nothing where the ledger comes first: it is refused when it is not the last one', async () => {
  expect(await asked('2', [told, open])).toEqual(['PUT web/status', 'PATCH deployments/web'])
})

it('asks for the ledger before the native controller is let see what it did not see, unless the ledger comes first', async () => {
  const looked = 'GET replicasets/web-1'
  expect(await asked('1', [back, open])).toEqual(['GET rolloutpolicies/web', looked, 'PATCH deployments/web'])
  expect(await asked('2', [back, told])).toEqual(['GET rolloutpolicies/web'])
  expect(await asked('2', [told, back, open])).toEqual(['PUT web/status', looked, 'PATCH deployments/web'])
})

it('asks for the ledger before it holds what somebody has opened, and not where it holds it already', async () => {
  expect(await asked('1', [hold])).toEqual(['GET rolloutpolicies/web', 'PATCH deployments/web'])
  expect(await asked('2', [hold])).toEqual(['GET rolloutpolicies/web'])
  expect(await asked('2', [hold], { 'carabiner.dev/hold': 'step' })).toEqual(['PATCH deployments/web'])
  expect(await asked('2', [told, hold])).toEqual(['PUT web/status', 'PATCH deployments/web'])
})
