/** Promises of the two source documents without an edge case of their own: hook pods, failures, retention. */
import { expect } from 'vitest'
import type { Handler, RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import {
  approvalHook,
  approve,
  type Edge,
  idOf,
  retentionHooks,
  settled,
  untilApprovalRequested,
  watchPods,
} from './rollout-edge.ts'
import { hasEnded, isOver, job, type Stage } from './rollout-stage.ts'
import { podTemplate } from './workloads.ts'

const prefix = 'openshift.io/deployment.lifecycle'
const env = [{ name: 'DATABASE', value: 'db' }]
const exec = { execNewPod: { containerName: 'main', command: ['migrate'] } }
const broken = job({ 'run-for': '0s', 'exit-code': '1' })
const states = ({ status }: RolloutPolicy) => status?.rollout?.hooks.map(({ name, state }) => [name, state])

/** Rolls out a version and waits until the rollout has ended. */
async function rolled(stage: Stage, version: number): Promise<RolloutPolicy> {
  const before = idOf(await stage.untilPolicy(() => true))
  await stage.roll(version)
  return stage.untilPolicy((policy) => idOf(policy) !== before && isOver(policy))
}

export const documentEdges: readonly Edge[] = [
  {
    title:
      '[rollouts B1 B3 B5 B7 C7 D1 D2 D3 D4 G1 I2 I4] hook pods run once, before and after the rollout, and are recorded on the revision',
    async play(stage) {
      const containers = [{ name: 'main', image: 'example/app:1', env }]
      await stage.running('Deployment', 2, { template: { ...podTemplate('web'), spec: { containers } } })
      await stage.policy({
        lifecycle: { pre: { failurePolicy: 'Abort', ...exec }, post: { failurePolicy: 'Ignore', ...exec } },
        lifecycleHooks: [approvalHook('hold', 0)],
      })
      const seeing = new AbortController()
      const observed = await watchPods(stage, seeing.signal, 'carabiner.dev/policy=web')
      await stage.roll(2, { env })
      await stage.untilPolicy((policy) => states(policy)?.[0]?.[1] === 'Succeeded')
      const { rollout } = await untilApprovalRequested(stage, 'hold')
      expect([rollout?.phase, await stage.versions(), await stage.replicaSets()]).toEqual([
        'Pending',
        { v1: 2 },
        [2, 0],
      ])
      await observed.until(({ length }) => length > 0)
      expect(observed.pods.size).toBe(1)
      await approve(stage, 'hold')
      const done = await stage.untilPolicy(hasEnded('Complete'))
      expect(states(done)?.map(([, state]) => state)).toEqual(['Succeeded', 'Succeeded', 'Succeeded'])
      expect(await stage.versions()).toEqual({ v2: 2 })
      await observed.until(({ length }) => length > 1)
      const pods = [...observed.pods.values()]
      expect(pods.map(({ metadata }) => metadata.labels?.['carabiner.dev/hook'])).toEqual(['pre', 'post'])
      for (const { spec } of pods) {
        expect(spec).toMatchObject({
          restartPolicy: 'Never',
          containers: [{ image: 'example/app:2', command: ['migrate'] }],
        })
        expect((spec['containers'] as { env: object[] }[])[0]?.env).toEqual(
          expect.arrayContaining([...env, { name: 'K8S_ROLLOUT_TYPE', value: 'ROLLOUT' }]),
        )
      }
      const [pre, post] = pods.map(({ metadata }) => metadata.name)
      expect(await stage.annotations()).toMatchObject({
        [`${prefix}.pre.execnewpod.pod`]: pre,
        [`${prefix}.pre.execnewpod.phase`]: 'Succeeded',
        [`${prefix}.post.execnewpod.pod`]: post,
        [`${prefix}.post.execnewpod.phase`]: 'Succeeded',
      })
      seeing.abort()
    },
  },
  {
    title: '[rollouts C1 C2 C3 C4 C5 C6] a failed hook aborts, is retried or is ignored, by its failure policy',
    async play(stage) {
      await stage.running('Deployment', 2)
      const pre = (handler: Partial<Handler>) => ({
        lifecycle: { pre: { failurePolicy: 'Abort' as const, jobSpec: broken, ...handler } },
      })
      await stage.policy(pre({}))
      const aborted = await rolled(stage, 2)
      expect([aborted.status?.rollout?.phase, states(aborted)]).toEqual(['Aborted', [['pre', 'Failed']]])
      await stage.untilEvent('HookFailed')
      await settled(stage)
      expect(await stage.versions()).toEqual({ v1: 2 })

      await stage.changePolicy(pre({ failurePolicy: 'Retry', retry: { backoffSeconds: 1 } }))
      await stage.roll(3)
      await stage.untilPolicy(({ status }) => (status?.rollout?.hooks[0]?.attempts ?? 0) >= 2)
      expect(await stage.versions()).toEqual({ v1: 2 })
      await stage.changePolicy(
        pre({
          failurePolicy: 'Retry',
          retry: { backoffSeconds: 1 },
          jobSpec: job({ 'run-for': '0s', 'exit-code': '0' }),
        }),
      )
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v3: 2 })

      const post = { failurePolicy: 'Ignore' as const, jobSpec: broken }
      await stage.changePolicy({ lifecycle: { pre: { failurePolicy: 'Continue', jobSpec: broken }, post } })
      const ignored = await rolled(stage, 4)
      expect(states(ignored)).toEqual([
        ['pre', 'Ignored'],
        ['post', 'Ignored'],
      ])
      expect([ignored.status?.rollout?.phase, await stage.versions()]).toEqual(['Complete', { v4: 2 }])
    },
  },
  {
    title: '[rollouts A6 H3] Jobs are kept by the retain policy, and a missing container is reported',
    async play(stage) {
      await stage.running('Deployment', 1)
      await stage.policy({ lifecycleHooks: retentionHooks() })
      await rolled(stage, 2)
      await stage.untilJobs((jobs) => jobs.length === 2)
      const kept = (await stage.jobs()).map(({ metadata }) => metadata.labels?.['carabiner.dev/hook'])
      expect(kept.toSorted()).toEqual(['always', 'on-failure'])
      const lost = { containerName: 'other', command: ['migrate'] }
      await stage.changePolicy({ lifecycle: { pre: { failurePolicy: 'Abort', execNewPod: lost } } })
      const { status } = await stage.untilPolicy(
        (policy) => policy.status?.conditions?.some(({ reason }) => reason === 'ContainerNotFound') === true,
      )
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          type: 'Stalled',
          message: expect.stringMatching(
            /^hook pre: Deployment web has no container other, .*a changed template is held$/,
          ),
        }),
      )
    },
  },
]
