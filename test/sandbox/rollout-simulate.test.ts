/** `rollout simulate` simulates rollouts of every kind with injected failures. */
import { describe, expect, it } from 'vitest'
import { type SettingsOptions, settingsOf } from '../../src/cli/rollout/simulation/settings.ts'
import { playRollout } from '../../src/cli/rollout/simulation/world.ts'
import type { Subject } from '../../src/cli/rollout/subjects.ts'
import { parseManifests } from '../../src/kube/manifest/index.ts'
import { compilePolicy } from '../../src/rollouts/policy/compile.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import type { JobSpec, Workload } from '../../src/rollouts/policy/workload.ts'

const manifest = (kind: string, onAbort = 'Hold') => `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: web, namespace: shop}
spec:
  ${kind === 'DaemonSet' ? '' : 'replicas: 4'}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {serviceAccountName: web, nodeSelector: {disk: fast}, containers: [{name: main, image: web:1}]}
---
apiVersion: carabiner.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: web, namespace: shop}
spec:
  targetRef: {apiVersion: apps/v1, kind: ${kind}, name: web}
  onAbort: ${onAbort}
  lifecycle:
    pre: {failurePolicy: Abort, execNewPod: {containerName: main, command: [migrate]}}
  lifecycleHooks:
    - name: smoke
      trigger: {progressAvailableParams: {progressPoint: 50%}}
      jobSpec: {backoffLimit: 0, template: {spec: {containers: [{name: smoke, image: smoke:1}]}}}
    - name: sign-off
      trigger: {progressAvailableParams: {progressPoint: 75%}}
      approval: {}
    - name: tell
      trigger: {progressAvailableParams: {progressPoint: 100%}}
      http:
        url: https://chat.example.com/shop
        headers: [{name: Authorization, valueFrom: {secretKeyRef: {name: chat, key: token}}}]
`

function subject(kind: string, onAbort?: string): Subject {
  const [workload, policy] = parseManifests(manifest(kind, onAbort), 'web.yaml') as [Workload, RolloutPolicy]
  const compiled = compilePolicy(policy.spec)
  if ('problems' in compiled) throw new Error('the policy of the test is wrong')
  return { workload, policy, compiled, rivals: [] }
}
const play = (kind: string, options: Partial<SettingsOptions> = {}) =>
  playRollout(subject(kind), settingsOf({ seed: 1, ...options }))

describe('a simulated rollout', () => {
  it('with an invalid Job is aborted with the reason', async () => {
    const { policy, ...rest } = subject('Deployment')
    const jobSpec = { template: { spec: {} } } as unknown as JobSpec
    const spec = { ...policy.spec, lifecycle: { pre: { failurePolicy: 'Abort', jobSpec } } } as const
    const { rollout } = await playRollout({ ...rest, policy: { ...policy, spec } }, settingsOf({ seed: 1 }))
    expect(rollout?.hooks[0]?.message).toMatch(/^NotCreated: the Job was refused: .*containers: Required value/)
  })

  it('of a paused Deployment is simulated as if it were resumed', async () => {
    const { workload, ...rest } = subject('Deployment')
    const paused = { ...workload, spec: { ...workload.spec, paused: true } } as Workload
    const { rollout } = await playRollout({ ...rest, workload: paused }, settingsOf({ seed: 1 }))
    expect(rollout?.phase).toBe('Complete')
  })

  it.each(['Deployment', 'StatefulSet', 'DaemonSet'])(
    'of a %s runs every hook and holds at every point',
    async (kind) => {
      const { rollout, violations, bars, samples } = await play(kind)
      expect(rollout?.phase).toBe('Complete')
      expect(rollout?.hooks.map(({ name, state }) => [name, state])).toEqual([
        ['pre', 'Succeeded'],
        ['smoke', 'Succeeded'],
        ['sign-off', 'Succeeded'],
        ['tell', 'Succeeded'],
      ])
      expect(violations).toEqual([])
      expect(bars.map(({ hook }) => hook)).toEqual(['pre', 'smoke', 'sign-off', 'tell'])
      expect(samples[0]).toMatchObject({ fresh: 0, gate: 'open' })
      expect(samples.at(-1)).toMatchObject({ old: 0, gate: 'open' })
      const gates = samples.map(({ gate }) => gate).filter((gate, index, all) => gate !== all[index - 1])
      expect(gates).toEqual(['open', 'closed', 'held', 'open'])
    },
  )

  it.each(['pre', 'smoke', 'sign-off', 'tell'])('is aborted where %s fails', async (hook) => {
    const { rollout, violations } = await play('Deployment', { fail: [hook] })
    expect(rollout?.phase).toBe('Aborted')
    expect(rollout?.hooks.find(({ name }) => name === hook)?.state).toBe('Failed')
    expect(violations).toEqual([])
  })

  it('has the same result when the operator crashes, scales on request, and is the same for the same seed', async () => {
    const options = { crashAfter: 6, scale: ['12s=6'], seed: 7 }
    const [first, second] = [await play('Deployment', options), await play('Deployment', options)]
    expect(first.crashes).toBe(1)
    expect(first.rollout?.phase).toBe('Complete')
    expect(first.samples.at(-1)).toMatchObject({ fresh: 6, replicas: 6 })
    expect(first.violations).toEqual([])
    expect(second).toEqual(first)
  })

  it('is undone automatically with onAbort Undo in another rollout', async () => {
    const settings = settingsOf({ seed: 1, fail: ['pre'] })
    const { rollout, samples, bars } = await playRollout(subject('StatefulSet', 'Undo'), settings)
    expect(bars[0]).toMatchObject({ hook: 'pre', state: 'Failed' })
    expect(rollout === undefined || rollout.type === 'UNDO').toBe(true)
    expect(samples.at(-1)).toMatchObject({ oldReady: 4, fresh: 0, gate: 'open' })
  })

  it('does not continue when new pods never become ready', async () => {
    const { rollout, samples, violations } = await play('Deployment', { neverReady: true })
    expect(rollout?.phase).not.toBe('Complete')
    expect(rollout?.hooks.find(({ name }) => name === 'smoke')?.attempts).toBe(0)
    expect(samples.at(-1)).toMatchObject({ freshReady: 0, oldReady: 3 })
    expect(violations).toEqual([])
  })
})
