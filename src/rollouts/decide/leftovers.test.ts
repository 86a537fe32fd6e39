import { expect, it } from 'vitest'
import type { HookObject } from '../../hooks/index.ts'
import { hookLabel, rolloutLabel } from '../labels.ts'
import type { World } from '../observe/world.ts'
import { compilePolicy } from '../policy/compile.ts'
import type { HookRecord, Ledger, RolloutPolicy } from '../policy/types.ts'
import { leftovers } from './leftovers.ts'

const object = (observation: HookObject['observation']): HookObject => ({
  ...{ kind: 'Job', namespace: 'shop', name: 'web-migrate-1', uid: 'j', observation },
  labels: { [rolloutLabel]: 'one', [hookLabel]: 'migrate' },
})

const world = (record: Partial<HookRecord>, more: Partial<Ledger>, seen: HookObject['observation']) => {
  const hooks: readonly HookRecord[] = [{ name: 'migrate', point: '0', state: 'Running', attempts: 1, ...record }]
  const containers = [{ name: 'c', image: 'hook' }]
  const trigger = { progressAvailableParams: { progressPoint: 0 } }
  const jobSpec = { template: { spec: { containers, restartPolicy: 'Never' } } }
  const policy: RolloutPolicy = {
    ...{ apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name: 'web', namespace: 'shop' } },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      lifecycleHooks: [{ name: 'migrate', trigger, jobSpec }],
    },
    status: {
      rollout: {
        ...{ id: 'one', type: 'ROLLOUT', phase: 'Progressing', to: 'web-2', templateHash: 'h' },
        ...{ startedAt: '2026-01-01T00:00:00.000Z', hooks },
        ...more,
      },
    },
  }
  return { policy, compiled: compilePolicy(policy.spec), hookObjects: [object(seen)] } as unknown as World
}

const running = { state: 'running', since: 0 } as const
const kinds = (of: World) => leftovers(of).map(({ kind }) => kind)

it('removes the running object of a cancelled hook, also when the engine that cancelled it stopped before', () => {
  expect(kinds(world({}, {}, running))).toEqual([])
  expect(kinds(world({ state: 'Cancelled' }, { phase: 'Aborted' }, running))).toEqual(['remove-leftover'])
  expect(kinds(world({ state: 'Failed', reason: 'Timeout' }, {}, running))).toEqual(['remove-leftover'])
  expect(kinds(world({ state: 'Failed', reason: 'BackoffLimitExceeded' }, {}, running))).toEqual([])
  const over = { phase: 'Cancelled', endedAt: '2026-01-01T00:01:00.000Z' } as const
  expect(kinds(world({ state: 'Cancelled' }, over, running))).toEqual(['remove-leftover'])
  expect(kinds(world({ state: 'Cancelled' }, over, { state: 'succeeded', at: 0 }))).toEqual(['retire-leftover'])
})
