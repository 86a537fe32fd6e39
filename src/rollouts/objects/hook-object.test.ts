import { expect, it } from 'vitest'
import { compilePolicy } from '../policy/compile.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Deployment } from '../policy/workload.ts'
import { hookObject } from './hook-object.ts'

it.each([
  ['web-7d9c', 'web-7d9c'],
  [`${'w'.repeat(62)}-7d9c`, 'w'.repeat(62)],
  [`${'w'.repeat(61)}.-7d9c`, 'w'.repeat(61)],
])('[rollouts H1] a Job for revision %s is labelled with it, as far as a label holds it', (to, label) => {
  const policy: RolloutPolicy = {
    ...{ apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name: 'web', namespace: 'shop' } },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      lifecycle: { pre: { failurePolicy: 'Abort', jobSpec: { template: { spec: { containers: [] } } } } },
    },
  }
  const compiled = compilePolicy(policy.spec)
  const hook = 'problems' in compiled ? undefined : compiled.hooks[0]
  if (hook === undefined) throw new Error('no hook')
  const subject = { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' }
  const run = { surface: 'rollouts', subject, lifecycle: 'r', point: '0', hook: 'pre', attempt: 1 }
  const context = { from: undefined, to, toUid: 'v', toKind: 'ReplicaSet', type: 'CREATE', rollout: 'r' } as const
  const action = hookObject({ policy, workload: {} as Deployment }, { run, hook, context })
  expect(action?.object.metadata.labels?.['carabiner.dev/revision']).toBe(label)
})
