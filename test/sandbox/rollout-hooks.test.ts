/** Hooks in virtual time: hook pods, failures, retries, parallel hooks and overtaken rollouts. */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../src/kube/index.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { podTemplate } from '../cluster/workloads.ts'
import { at, isOver, job, play, type Stage } from './rollouts.ts'

const recordOf = ({ status }: RolloutPolicy, name: string) => status?.rollout?.hooks.find((hook) => hook.name === name)
const isStarted = (name: string) => (policy: RolloutPolicy) => recordOf(policy, name)?.object !== undefined
/** The name of the pod, once it is there. */
const startedPod = async (stage: Stage, hook: string) => {
  const name = recordOf(await stage.untilPolicy(isStarted(hook)), hook)?.object?.name ?? ''
  await stage.untilObject('v1', 'Pod', name, () => true)
  return name
}
const isEnded = (name: string) => (policy: RolloutPolicy) => recordOf(policy, name)?.endedAt !== undefined

const exec = { execNewPod: { containerName: 'main', command: ['migrate'] } }

describe('hooks in pods of their own', () => {
  it('[rollouts B1 B3 B7 D1 D2 D3 D4] run before and after the rollout with the environment of the application', () =>
    play(20, async (stage) => {
      const env = [{ name: 'DATABASE', value: 'db' }]
      const spec = { containers: [{ name: 'main', image: 'example/app:1', env }] }
      await stage.running('Deployment', 2, { template: { ...podTemplate('web'), spec } })
      await stage.policy({
        lifecycle: { pre: { failurePolicy: 'Abort', ...exec }, post: { failurePolicy: 'Ignore', ...exec } },
      })
      await stage.roll(2, { env })
      await startedPod(stage, 'pre')
      expect(await stage.versions()).toEqual({ v1: 2 })
      expect(await stage.hookPods()).toMatchObject([
        {
          spec: {
            restartPolicy: 'Never',
            containers: [{ image: 'example/app:2', command: ['migrate'], env: expect.arrayContaining(env) }],
          },
        },
      ])
      await stage.untilPolicy(isStarted('post'))
      expect(await stage.versions()).toEqual({ v2: 2 })
      const done = await stage.untilPolicy(isOver)
      expect(done.status?.rollout).toMatchObject({
        phase: 'Complete',
        hooks: [
          { name: 'pre', state: 'Succeeded', attempts: 1 },
          { name: 'post', state: 'Succeeded', attempts: 1 },
        ],
      })
      const [pre, post] = done.status?.rollout?.hooks ?? []
      expect(await stage.annotations()).toMatchObject({
        'openshift.io/deployment.lifecycle.pre.execnewpod.pod': pre?.object?.name,
        'openshift.io/deployment.lifecycle.pre.execnewpod.phase': 'Succeeded',
        'openshift.io/deployment.lifecycle.post.execnewpod.pod': post?.object?.name,
        'openshift.io/deployment.lifecycle.post.execnewpod.phase': 'Succeeded',
      })
    }))

  it('[rollouts C6] report a failure with an event and an annotation', () =>
    play(31, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycle: { pre: { failurePolicy: 'Abort', ...exec } } })
      await stage.roll(2)
      const name = await startedPod(stage, 'pre')
      await stage.client.of(resources.pods).delete(name, { namespace: 'default', gracePeriodSeconds: 0 })
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Aborted')
      await stage.untilEvent('HookFailed')
      expect((await stage.annotations())['openshift.io/deployment.lifecycle.pre.execnewpod.phase']).toBe('Failed')
    }))

  it('[rollouts A6] stall the policy when the template has no such container', () =>
    play(21, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.create({
        lifecycle: {
          pre: { failurePolicy: 'Abort', execNewPod: { containerName: 'other', command: ['migrate'] } },
        },
      })
      const { status } = await stage.untilPolicy((policy) => policy.status !== undefined)
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Stalled',
          status: 'True',
          reason: 'ContainerNotFound',
          message:
            'hook pre: Deployment web has no container other, it has main; until this is fixed, changed templates roll out without hooks',
        }),
      )
    }))

  it('[rollouts W33] are tried again when their pod is evicted, and this does not count as an attempt', () =>
    play(35, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycle: { pre: { failurePolicy: 'Abort', ...exec } } })
      await stage.roll(2)
      const metadata = { name: await startedPod(stage, 'pre'), namespace: 'default' }
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata, deleteOptions: { gracePeriodSeconds: 0 } }
      await stage.client.of<KubeObject>(resources.pods).create(eviction, { subresource: 'eviction' })
      await stage.untilEvent('HookDisrupted')
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({
        phase: 'Complete',
        hooks: [{ name: 'pre', state: 'Succeeded', attempts: 2, disruptions: 1 }],
      })
    }))

  it('[rollouts W32] say which container of which pod failed, and how', () =>
    play(34, async (stage) => {
      await stage.running('Deployment', 1)
      const containers = [{ name: 'm', image: 'example/app:1', command: ['sh', '-c', 'exit 1'] }]
      const template = { spec: { containers, restartPolicy: 'Never' } }
      await stage.policy({ lifecycle: { pre: { failurePolicy: 'Abort', jobSpec: { backoffLimit: 0, template } } } })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout?.message).toMatch(
        /BackoffLimitExceeded: .*; pod [a-z0-9-]+: Error: container m ended with exit code 1$/,
      )
    }))

  it('[rollouts W31] have the image of the new template, and stall the policy when it has no such container', () =>
    play(33, async (stage) => {
      const jobOf = (image: string) => ({ backoffLimit: 0, template: { spec: { containers: [{ name: 'm', image }] } } })
      const preWith = (image: string) => ({
        lifecycle: { pre: { failurePolicy: 'Abort', jobSpec: jobOf(image) } as const },
      })
      await stage.running('Deployment', 1)
      await stage.policy(preWith('$(containers.main.image)'))
      await stage.roll(2)
      const name = recordOf(await stage.untilPolicy(isStarted('pre')), 'pre')?.object?.name ?? ''
      await stage.untilObject('batch/v1', 'Job', name, () => true)
      const created = await stage.client.of(resources.jobs).get(name, { namespace: 'default' })
      expect(created).toMatchObject({ spec: { template: { spec: { containers: [{ image: 'example/app:2' }] } } } })
      await stage.untilPolicy(isOver)
      await stage.changePolicy(preWith('$(containers.lost.image)'))
      const isStalled = ({ status }: RolloutPolicy) => status?.conditions?.[0]?.reason === 'ContainerNotFound'
      const { status } = await stage.untilPolicy(isStalled)
      expect(status?.conditions?.[0]?.message).toMatch(
        /^hook pre: \$\(containers.lost.image\): Deployment web has no container lost, it has main; .* is held$/,
      )
    }))
})

describe('a policy that became invalid', () => {
  it('holds a changed template until the workload has the release label', () =>
    play(36, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycle: { pre: { failurePolicy: 'Abort', ...exec } } })
      const lost = { containerName: 'other', command: ['migrate'] }
      await stage.changePolicy({ lifecycle: { pre: { failurePolicy: 'Abort', execNewPod: lost } } })
      await stage.untilPolicy(({ status }) => status?.conditions?.[0]?.reason === 'ContainerNotFound')
      await stage.roll(2)
      await stage.runtime.clock.sleep(60_000)
      expect(await stage.versions()).toEqual({ v1: 1 })
      await stage.label('carabiner.dev/release', 'true')
      await stage.untilWorkload(({ status }) => status['updatedReplicas'] === 1 && status['replicas'] === 1)
      expect(await stage.versions()).toEqual({ v2: 1 })
    }))
})

describe('a hook that fails', () => {
  it('fails when its Job has an unknown field', () =>
    play(35, async (stage) => {
      await stage.running('Deployment', 1)
      const jobSpec = { ...job(), backofLimit: 3 }
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec }] })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout?.phase).toBe('Aborted')
      expect(recordOf({ status } as RolloutPolicy, 'migrate')?.message).toContain('unknown field "spec.backofLimit"')
      expect(await stage.versions()).toEqual({ v1: 1 })
    }))

  it('[rollouts C2] is retried with Retry, and the rollout waits until it succeeds', () =>
    play(22, async (stage) => {
      await stage.running('Deployment', 2)
      const migrate = (code: string) => ({
        name: 'migrate',
        trigger: at(0),
        failurePolicy: 'Retry' as const,
        jobSpec: job({ 'exit-code': code }),
      })
      await stage.policy({ lifecycleHooks: [migrate('1')] })
      await stage.roll(2)
      await stage.untilPolicy((policy) => recordOf(policy, 'migrate')?.attempts === 3)
      expect(await stage.versions()).toEqual({ v1: 2 })
      await stage.changePolicy({ lifecycleHooks: [migrate('0')] })
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({ phase: 'Complete', hooks: [{ state: 'Succeeded', attempts: 4 }] })
      expect(await stage.versions()).toEqual({ v2: 2 })
    }))

  it('fails with the message of the API server when its Job is invalid, and is retried by its failure policy', () =>
    play(29, async (stage) => {
      await stage.running('Deployment', 2)
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main' }] } }
      const broken = { name: 'migrate', trigger: at(0), jobSpec: { template } }
      await stage.policy({ lifecycleHooks: [{ ...broken, failurePolicy: 'Retry' as const, retry: { limit: 1 } }] })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({ phase: 'Aborted', hooks: [{ state: 'Failed', attempts: 2 }] })
      expect(status?.rollout?.hooks[0]?.message).toMatch(/^NotCreated: the Job was refused: .*image: Required value$/)
      expect(await stage.versions()).toEqual({ v1: 2 })
    }))

  it.each([{ failurePolicy: 'Ignore' as const }, { failurePolicy: 'Retry' as const, retry: { limit: 1 } }])(
    '[rollouts C5] after the rollout causes no undo, with $failurePolicy',
    (failureSettings) =>
      play(23, async (stage) => {
        await stage.running('Deployment', 2)
        await stage.policy({
          lifecycle: { post: { ...failureSettings, jobSpec: job({ 'exit-code': '1' }) } },
          onAbort: 'Undo',
        })
        await stage.roll(2)
        const { status } = await stage.untilPolicy(isOver)
        expect(status?.rollout).toMatchObject({ phase: 'Complete', hooks: [{ name: 'post', state: 'Ignored' }] })
        expect(await stage.versions()).toEqual({ v2: 2 })
      }),
  )

  it('times out after its timeout', () =>
    play(32, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [{ name: 'migrate', trigger: at(0), timeoutSeconds: 10, jobSpec: job({ 'run-for': '1h' }) }],
      })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({
        phase: 'Aborted',
        hooks: [{ state: 'Failed', message: 'Timeout: it took longer than 10 s' }],
      })
      expect(await stage.jobs()).toEqual([])
    }))

  it('runs the Aborted hooks once', () =>
    play(33, async (stage) => {
      await stage.running('Deployment', 1)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job({ 'exit-code': '1' }) },
          { name: 'tell', trigger: { type: 'Aborted' }, jobSpec: job() },
        ],
      })
      await stage.roll(2)
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout).toMatchObject({
        phase: 'Aborted',
        hooks: [
          { name: 'migrate', state: 'Failed' },
          { name: 'tell', state: 'Succeeded', attempts: 1 },
        ],
      })
    }))

  it('does not hold a workload with the release label', () =>
    play(24, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job({ 'exit-code': '1' }) }],
      })
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      await stage.label('carabiner.dev/release', 'true')
      await stage.untilWorkload(({ status }) => status['updatedReplicas'] === 2 && status['availableReplicas'] === 2)
    }))
})

describe('hooks of one point', () => {
  it('[rollouts F4] run in parallel, and all must end before the rollout continues', () =>
    play(25, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({
        lifecycleHooks: [
          { name: 'short', trigger: at(0), jobSpec: job({ 'run-for': '5s' }) },
          { name: 'long', trigger: at('0%'), jobSpec: job({ 'run-for': '60s' }) },
        ],
      })
      await stage.roll(2)
      const between = await stage.untilPolicy(isEnded('short'))
      expect(recordOf(between, 'long')?.state).toBe('Running')
      expect(await stage.versions()).toEqual({ v1: 2 })
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
    }))
})

describe('a new template during a rollout', () => {
  it('[rollouts G4] cancels its hooks and starts no more of them', () =>
    play(26, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      await stage.roll(2)
      const first = (await stage.untilPolicy(isStarted('migrate'))).status?.rollout
      await stage.roll(3)
      const next = await stage.untilPolicy(
        (policy) => policy.status?.rollout?.id !== first?.id && isStarted('migrate')(policy),
      )
      await stage.untilObject('batch/v1', 'Job', recordName(next.status?.rollout) ?? '', () => true)
      const names = (await stage.jobs()).map(({ metadata }) => metadata.name)
      expect(names).not.toContain(recordName(first))
      const { status } = await stage.untilPolicy(isOver)
      expect(status?.rollout?.phase).toBe('Complete')
      expect(status?.history).toMatchObject([{ phase: 'Complete' }, { id: first?.id, phase: 'Cancelled' }])
      expect(await stage.versions()).toEqual({ v3: 2 })
    }))
})

function recordName(rollout: NonNullable<RolloutPolicy['status']>['rollout']): string | undefined {
  return rollout?.hooks[0]?.object?.name
}

describe('scaling', () => {
  it('[rollouts B6] runs no hooks', () =>
    play(28, async (stage) => {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [{ name: 'migrate', trigger: at(0), jobSpec: job() }] })
      await stage.scale(4)
      await stage.untilWorkload(({ status }) => status['availableReplicas'] === 4)
      expect(await stage.jobs()).toEqual([])
      expect((await stage.untilPolicy(() => true)).status?.rollout).toBeUndefined()
    }))
})

describe('a Deployment that recreates its pods', () => {
  it('waits for the hook before the old pods are deleted', () =>
    play(29, async (stage) => {
      await stage.running('Deployment', 2, { strategy: { type: 'Recreate' } })
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job() },
          { name: 'test', trigger: at('100%'), jobSpec: job() },
        ],
      })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('migrate'))
      expect(await stage.versions()).toEqual({ v1: 2 })
      await stage.untilPolicy(isStarted('test'))
      expect(await stage.versions()).toEqual({ v2: 2 })
      expect((await stage.untilPolicy(isOver)).status?.rollout?.phase).toBe('Complete')
      expect((await stage.workload()).spec['strategy']).toEqual({ type: 'Recreate' })
    }))
})

describe('an engine that is replaced', () => {
  it.each(['Deployment', 'StatefulSet', 'DaemonSet'] as const)(
    'continues a %s where the previous one stopped and repeats no hook',
    (kind) =>
      play(30, async (stage) => {
        await stage.running(kind, 3)
        await stage.policy({
          lifecycleHooks: [
            { name: 'migrate', trigger: at(0), jobSpec: job() },
            { name: 'first', trigger: at(1), jobSpec: job() },
          ],
        })
        await stage.roll(2)
        let seen = ''
        for (let restarts = 0; ; restarts++) {
          const { status } = await stage.untilPolicy((policy) => policy.metadata.resourceVersion !== seen)
          seen = (await stage.untilPolicy(() => true)).metadata.resourceVersion ?? ''
          if (status?.rollout?.endedAt !== undefined) {
            expect(status.rollout).toMatchObject({
              phase: 'Complete',
              hooks: [
                { state: 'Succeeded', attempts: 1 },
                { state: 'Succeeded', attempts: 1 },
              ],
            })
            expect(restarts).toBeGreaterThan(4)
            break
          }
          await stage.restart()
        }
        expect(await stage.versions()).toEqual({ v2: 3 })
      }),
  )
})

describe('the price of a rollout', () => {
  it('is at most sixteen writes for ten pods with a Job at the start and one half way', () =>
    play(34, async (stage) => {
      await stage.running('Deployment', 10)
      await stage.policy({
        lifecycleHooks: [
          { name: 'migrate', trigger: at(0), jobSpec: job() },
          { name: 'smoke', trigger: at('50%'), jobSpec: job() },
        ],
      })
      const before = stage.written()
      await stage.roll(2)
      await stage.untilPolicy(isOver)
      const price = stage.written() - before
      expect(price).toBeGreaterThan(0)
      expect(price).toBeLessThanOrEqual(16)
    }))
})
