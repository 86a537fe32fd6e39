import { describe, expect, it } from 'vitest'
import { compilePolicy } from '../policy/compile.ts'
import type { Handler, RolloutPolicy } from '../policy/types.ts'
import type { Deployment, JobSpec, PodSpec } from '../policy/workload.ts'
import { hookObject } from './hook-object.ts'

const subject = { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' }
const run = { surface: 'rollouts', subject, lifecycle: 'r', point: '0', hook: 'pre', attempt: 1 }
const empty: Handler = { failurePolicy: 'Abort', jobSpec: { template: { spec: { containers: [] } } } }

function objectOf(pre: Handler, { to = 'web-2', spec = { containers: [] } }: { to?: string; spec?: PodSpec } = {}) {
  const policy: RolloutPolicy = {
    ...{ apiVersion: 'carabiner.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name: 'web', namespace: 'shop' } },
    spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, lifecycle: { pre } },
  }
  const compiled = compilePolicy(policy.spec)
  const hook = 'problems' in compiled ? undefined : compiled.hooks[0]
  if (hook === undefined) throw new Error('no hook')
  const context = { from: undefined, to, toUid: 'v', toKind: 'ReplicaSet', type: 'CREATE', rollout: 'r' } as const
  const workload = { metadata: { name: 'web' }, spec: { template: { spec } } } as Deployment
  return hookObject({ policy, workload }, { run, hook, context })?.object
}

it.each([
  ['web-7d9c', 'web-7d9c'],
  [`${'w'.repeat(62)}-7d9c`, 'w'.repeat(62)],
  [`${'w'.repeat(61)}.-7d9c`, 'w'.repeat(61)],
])('[rollouts H1] a Job for revision %s is labelled with it, as far as a label holds it', (to, label) => {
  expect(objectOf(empty, { to })?.metadata.labels?.['carabiner.dev/revision']).toBe(label)
})

describe('a pod of execNewPod', () => {
  it('[rollouts W30] has the labels and annotations that its hook gives it, and ours', () => {
    const labels = { team: 'shop', 'carabiner.dev/policy': 'other' }
    const annotations = { 'sidecar.istio.io/inject': 'false' }
    const execNewPod = { containerName: 'main', command: ['migrate'], labels, annotations }
    const pod = objectOf({ failurePolicy: 'Abort', execNewPod }, { spec: { containers: [{ name: 'main' }] } })
    const ours = { 'carabiner.dev/policy': 'web', 'carabiner.dev/hook': 'pre' }
    expect(pod?.metadata.labels).toMatchObject({ team: 'shop', ...ours })
    expect(pod?.metadata.annotations).toEqual(annotations)
  })
})

describe('a Job', () => {
  const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }]
  const own = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }] }

  it.each([
    [{}, {}, { rules }],
    [{ podReplacementPolicy: 'Failed' }, { restartPolicy: 'Never' }, { rules }],
    [{ podFailurePolicy: own }, {}, own],
    [{ podReplacementPolicy: 'TerminatingOrFailed' }, {}, undefined],
    [{}, { restartPolicy: 'OnFailure' }, undefined],
  ])('[rollouts W33] with %o and %o retries disrupted pods by %o', (spec, pod, podFailurePolicy) => {
    const jobSpec = { ...spec, template: { spec: { containers: [], ...pod } } }
    const object = objectOf({ failurePolicy: 'Abort', jobSpec })
    expect((object as unknown as { spec: JobSpec }).spec['podFailurePolicy']).toEqual(podFailurePolicy)
  })
})
