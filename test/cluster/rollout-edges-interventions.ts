/** Edge cases of users and cluster components that change Jobs, the gate or objects during a rollout. */
import { expect } from 'vitest'
import { isForbidden } from '../../src/kube/errors.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { pollUntil } from './poll-until.ts'
import {
  approvalHook,
  approve,
  type Edge,
  expectReleased,
  jobHook,
  settled,
  untilApprovalRequested,
} from './rollout-edge.ts'
import { hasEnded, isStarted, type Stage } from './rollout-stage.ts'

const recordOf = ({ status }: RolloutPolicy, name: string) => status?.rollout?.hooks.find((hook) => hook.name === name)
const jobOf = (policy: RolloutPolicy, name: string) => recordOf(policy, name)?.object?.name ?? ''
const whereOf = ({ namespace }: Stage) => ({ namespace })

export const interventionEdges: readonly Edge[] = [
  {
    title: '[rollouts W12] a Job that is deleted, evicted, suspended or has a TTL has one outcome',
    async play(stage) {
      await stage.running('Deployment', 1)
      const long = { 'run-for': '1h' }
      // Long enough to be observed while its pod runs on any machine; then this pod or the next one succeeds.
      const evicted = jobHook('evicted', 0, { 'run-for': '10s' })
      const vanishing = jobHook('vanishing', 0, {}, { retainPolicy: 'Always' })
      await stage.policy({
        lifecycleHooks: [
          jobHook('deleted', 0, long, { failurePolicy: 'Ignore' }),
          jobHook('suspended', 0, long, { failurePolicy: 'Ignore', timeoutSeconds: 15 }),
          { ...evicted, jobSpec: { ...evicted.jobSpec, backoffLimit: 3 } },
          { ...vanishing, jobSpec: { ...vanishing.jobSpec, ttlSecondsAfterFinished: 0 } },
        ],
      })
      await stage.roll(2)
      const all = ['deleted', 'suspended', 'evicted', 'vanishing']
      const running = await stage.untilPolicy((policy) => all.every((name) => isStarted(name)(policy)))
      const jobs = stage.client.of(resources.jobs)
      for (const name of all) await stage.untilObject('batch/v1', 'Job', jobOf(running, name), () => true)
      await stage.untilObject('batch/v1', 'Job', jobOf(running, 'evicted'), ({ status }) => status['active'] === 1)
      await jobs.delete(jobOf(running, 'deleted'), { ...whereOf(stage), propagationPolicy: 'Background' })
      const suspend = { type: 'merge' as const, value: { spec: { suspend: true } } }
      await jobs.patch(jobOf(running, 'suspended'), suspend, whereOf(stage))
      const labelSelector = `job-name=${jobOf(running, 'evicted')}`
      const { items } = await stage.client.of(resources.pods).list({ ...whereOf(stage), labelSelector })
      for (const { metadata } of items) await stage.client.of(resources.pods).delete(metadata.name, whereOf(stage))
      const done = await stage.untilPolicy(hasEnded('Complete'))
      expect(all.map((name) => [name, recordOf(done, name)?.state, recordOf(done, name)?.attempts])).toEqual([
        ['deleted', 'Ignored', 1],
        ['suspended', 'Ignored', 1],
        ['evicted', 'Succeeded', 1],
        ['vanishing', 'Succeeded', 1],
      ])
      expect(recordOf(done, 'deleted')?.message).toMatch(/^Lost: Job .* was deleted$/)
      expect(recordOf(done, 'suspended')?.message).toMatch(/^Timeout: /)
      await stage.untilJobs((left) => left.length === 1)
      expect((await stage.jobs()).map(({ metadata }) => metadata.name)).toEqual([jobOf(running, 'vanishing')])
    },
  },
  {
    title: '[rollouts W15] other writes do not release the workload, and edits of owners are applied afterwards',
    async play(stage) {
      await stage.running('Deployment', 4)
      await stage.policy({ lifecycleHooks: [approvalHook('zero', 0), approvalHook('half', '50%')] })
      await stage.roll(2)
      await untilApprovalRequested(stage, 'zero')
      await stage.change({ spec: { paused: false } }).catch(() => undefined)
      await stage.change({ metadata: { labels: { 'carabiner.dev/hold': null } } }).catch(() => undefined)
      await settled(stage)
      expect(await stage.versions()).toEqual({ v1: 4 })
      await approve(stage, 'zero')
      await untilApprovalRequested(stage, 'half')
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: '50%' } }
      const metadata = { name: 'web', ...whereOf(stage) }
      const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { strategy } } as KubeObject
      await stage.client.of(resources.deployments).apply(object, { fieldManager: 'gitops', force: true })
      await stage.change({ spec: { minReadySeconds: 1 } })
      await settled(stage)
      expect((await stage.versions())['v2']).toBe(2)
      await approve(stage, 'half')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: 4 })
      expect((await stage.workload()).spec).toMatchObject({ minReadySeconds: 1, strategy })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W16] a policy deleted half way restores all fields, and a removed label is restored',
    async play(stage) {
      await stage.running('Deployment', 4)
      await stage.policy({ lifecycleHooks: [jobHook('half', '50%', { 'run-for': '1h' })] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('half'))
      await stage.change({ metadata: { labels: { 'carabiner.dev/rollout-policy': null } } }).catch(() => undefined)
      await settled(stage)
      expect((await stage.versions())['v2']).toBe(2)
      await stage.removePolicy()
      const { metadata, spec } = await stage.untilWorkload(
        ({ metadata: seen, status }) =>
          Object.keys(seen.labels ?? {}).length === 0 && status['updatedReplicas'] === 4 && status['replicas'] === 4,
      )
      expect([metadata.labels ?? {}, spec['paused'] ?? false, spec['minReadySeconds'] ?? 0]).toEqual([{}, false, 0])
      expect(spec['strategy']).toMatchObject({ rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } })
      await stage.untilJobs((jobs) => jobs.length === 0)
    },
  },
  {
    title: '[rollouts W16] a workload deleted half way deletes its Jobs and does not block the deletion of its policy',
    async play(stage) {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [jobHook('half', '50%', { 'run-for': '1h' })] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('half'))
      const background = { ...whereOf(stage), propagationPolicy: 'Background' as const }
      await stage.client.of(resources.deployments).delete('web', background)
      await stage.untilJobs((jobs) => jobs.length === 0)
      await stage.untilPolicy(
        ({ status }) => status?.conditions?.some(({ reason }) => reason === 'TargetNotFound') === true,
      )
      await stage.removePolicy()
      await stage.untilGone(policyType)
    },
  },
  {
    title: '[rollouts W21 I1 I3] variables that a hook declares are not overwritten, in every form',
    async play(stage) {
      await stage.running('Deployment', 1)
      const own = [
        { name: 'K8S_ROLLOUT_TYPE', value: 'mine' },
        { name: 'K8S_ROLLOUT_FROM_OBJECT', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      ]
      const hook = jobHook('see', 0, {}, { retainPolicy: 'Always' })
      const { template } = hook.jobSpec
      const containers = template.spec.containers.map((one) => ({ ...one, env: own, envFrom: [] }))
      const spec = { ...template.spec, containers, initContainers: [{ name: 'first', image: 'example/hook:1' }] }
      await stage.policy({
        lifecycleHooks: [{ ...hook, jobSpec: { ...hook.jobSpec, template: { ...template, spec } } }],
      })
      await stage.roll(2)
      const policy = await stage.untilPolicy(isStarted('see'))
      await stage.untilJobs((jobs) => jobs.length === 1)
      const [found] = await stage.jobs()
      const pod = (found as unknown as { spec: { template: { spec: Record<string, { env: { name: string }[] }[]> } } })
        .spec.template.spec
      const to = { name: 'K8S_ROLLOUT_TO_OBJECT', value: `${stage.namespace}/${policy.status?.rollout?.to}` }
      expect(pod['containers']?.[0]?.env).toEqual([...own, to])
      expect(pod['initContainers']?.[0]?.env.map(({ name }) => name)).toEqual([
        'K8S_ROLLOUT_FROM_OBJECT',
        'K8S_ROLLOUT_TO_OBJECT',
        'K8S_ROLLOUT_TYPE',
      ])
      await stage.untilPolicy(hasEnded('Complete'))
    },
  },
  {
    title: '[rollouts W24] a quota that denies the Job is reported by an event, and the hook waits',
    async play(stage) {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [jobHook('migrate', 0)] })
      const quota = (jobs: string) => ({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'none', ...whereOf(stage) },
        spec: { hard: { 'count/jobs.batch': jobs } },
      })
      const quotas = await stage.client.find('v1', 'ResourceQuota')
      await quotas.create(quota('0') as KubeObject)
      await stage.untilObject('v1', 'ResourceQuota', 'none', ({ status }) => status?.['hard'] !== undefined)
      // Admission observes the quota through a watch, with a delay.
      const { template } = jobHook('migrate', 0).jobSpec
      const probe = {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'probe', ...whereOf(stage) },
        spec: { template },
      }
      await pollUntil(
        'a denied Job',
        () =>
          stage.client
            .of<KubeObject>(resources.jobs)
            .create(probe as KubeObject, { dryRun: true })
            .then(() => false, isForbidden),
        (isDenied) => isDenied,
      )
      await stage.roll(2)
      await stage.untilEvent('HookNotStarted')
      expect(await stage.versions()).toEqual({ v1: 1 })
      await quotas.patch(
        'none',
        { type: 'merge', value: { spec: { hard: { 'count/jobs.batch': '5' } } } },
        whereOf(stage),
      )
      const done = await stage.untilPolicy(hasEnded('Complete'))
      expect(recordOf(done, 'migrate')).toMatchObject({ state: 'Succeeded', attempts: 1 })
      expect(await stage.versions()).toEqual({ v2: 1 })
    },
  },
  {
    title: '[rollouts W24] a deleted namespace deletes a running rollout',
    async play(stage) {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: [jobHook('migrate', 0, { 'run-for': '1h' })] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('migrate'))
      await stage.client.of(resources.namespaces).delete(stage.namespace)
      await stage.untilGone(policyType)
    },
  },
]
