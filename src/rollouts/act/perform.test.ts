import { expect, it } from 'vitest'
import { createClient } from '../../kube/client/create.ts'
import { handlerTransport } from '../../kube/transport/handler.ts'
import { createSimulation } from '../../runtime/simulated/index.ts'
import { guardOf, noPhases, type Phases } from '../decide/decision.ts'
import type { Revision, World } from '../observe/world.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { EngineDeps } from './engine-deps.ts'
import { perform } from './perform.ts'

const metadata = { name: 'web', namespace: 'shop', resourceVersion: '1' }
const policy = { apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata } as RolloutPolicy
const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata } as World['workload']
const gate = { kind: 'workload', patch: { spec: { paused: false } } } as const
const hold = {
  gate: { kind: 'workload', patch: { metadata: { labels: { 'carabiner.dev/hold': 'step' } } } },
} as const
const unhide = [{ kind: 'unhide', revision: { name: 'web-1', uid: 'set' } as Revision }] as const

/** The requests that a server receives that has this version of everything. */
async function asked(
  version: string,
  phases: Partial<Phases>,
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
  const deps = { client: createClient({ transport, runtime }), reports: { onStatusWritten: () => undefined } }
  const held = { ...workload, metadata: { ...metadata, labels } } as World['workload']
  const seen = labels === undefined ? workload : held
  const all = { ...noPhases, ...phases }
  const decision = { ...all, guard: guardOf(all, seen), why: '' }
  await perform(deps as unknown as EngineDeps, { policy, workload: seen } as World, decision)
  return requests
}

it('re-reads the policy before it opens a workload and writes the ledger afterwards', async () => {
  expect(await asked('1', { gate, finalLedger: {} })).toEqual([
    'GET rolloutpolicies/web',
    'PATCH deployments/web',
    'PUT web/status',
  ])
  expect(await asked('2', { gate, finalLedger: {} })).toEqual(['GET rolloutpolicies/web'])
})

it('re-reads nothing when the ledger is written first: an outdated one is a conflict', async () => {
  expect(await asked('2', { ledger: {}, gate })).toEqual(['PUT web/status', 'PATCH deployments/web'])
})

it('re-reads the policy before unhiding a ReplicaSet, unless the status write comes first', async () => {
  const looked = 'GET replicasets/web-1'
  expect(await asked('1', { unhide, gate })).toEqual(['GET rolloutpolicies/web', looked, 'PATCH deployments/web'])
  expect(await asked('2', { before: unhide, ledger: {} })).toEqual(['GET rolloutpolicies/web'])
  expect(await asked('2', { ledger: {}, unhide, gate })).toEqual(['PUT web/status', looked, 'PATCH deployments/web'])
})

it('re-reads the policy before it holds a workload that was opened, and not one that is held already', async () => {
  expect(await asked('1', hold)).toEqual(['GET rolloutpolicies/web', 'PATCH deployments/web'])
  expect(await asked('2', hold)).toEqual(['GET rolloutpolicies/web'])
  expect(await asked('2', hold, { 'carabiner.dev/hold': 'step' })).toEqual(['PATCH deployments/web'])
  expect(await asked('2', { ledger: {}, ...hold })).toEqual(['PUT web/status', 'PATCH deployments/web'])
})
