/**
 * Edge cases of progress: replicas, maxSurge and maxUnavailable, pods that do not become ready, and specifics of each
 * kind of workload.
 */
import { expect } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import {
  approvalHook,
  approve,
  approveAll,
  type Edge,
  expectReleased,
  idOf,
  jobHook,
  untilApprovalRequested,
  watchPods,
} from './rollout-edge.ts'
import { hasEnded, isOver, type Stage } from './rollout-stage.ts'

const never = { 'ready-delay': 'never' }
const attempts = ({ status }: RolloutPolicy) => status?.rollout?.hooks.map((hook) => hook.attempts)
const fresh = async (stage: Stage, version: string) => (await stage.versions())[version] ?? 0

export const progressEdges: readonly Edge[] = [
  {
    title: '[rollouts W7 B6] scaling at every point, to zero and back, moves the points and repeats no hook',
    async play(stage) {
      await stage.running('Deployment', 4)
      await stage.policy({
        lifecycleHooks: [approvalHook('zero', 0), approvalHook('half', '50%'), approvalHook('end', '100%')],
      })
      await stage.roll(2)
      await untilApprovalRequested(stage, 'zero')
      await stage.scale(6)
      await stage.untilWorkload(({ status }) => status['availableReplicas'] === 6)
      expect(await stage.versions()).toEqual({ v1: 6 })
      await approve(stage, 'zero')
      await untilApprovalRequested(stage, 'half')
      expect(await fresh(stage, 'v2')).toBe(3)
      await stage.scale(2)
      await approve(stage, 'half')
      await untilApprovalRequested(stage, 'end')
      await stage.scale(0)
      await stage.untilWorkload(({ status }) => (status['replicas'] ?? 0) === 0)
      await stage.scale(3)
      await stage.untilWorkload(({ status }) => status['availableReplicas'] === 3)
      await approve(stage, 'end')
      expect(attempts(await stage.untilPolicy(hasEnded('Complete')))).toEqual([1, 1, 1])
      expect(await stage.versions()).toEqual({ v2: 3 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W7 F1] scaling up at an intermediate point creates new pods up to the point only',
    async play(stage) {
      await stage.running('Deployment', 2, { strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } } })
      await stage.policy({ lifecycleHooks: [approvalHook('half', '50%'), approvalHook('more', '75%')] })
      await stage.roll(2)
      await untilApprovalRequested(stage, 'half')
      expect(await fresh(stage, 'v2')).toBe(1)
      await stage.scale(4)
      // The native controller distributes additional replicas over both revisions.
      await stage.untilWorkload(({ status }) => status['replicas'] === 5)
      expect(await stage.versions()).toEqual({ v1: 3, v2: 2 })
      await approve(stage, 'half')
      await untilApprovalRequested(stage, 'more')
      expect(await stage.versions()).toEqual({ v1: 3, v2: 3 })
      await approve(stage, 'more')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: 4 })
    },
  },
  {
    title: '[rollouts W8 E4 F2] with no, one or two pods the points are reached in order',
    async play(stage) {
      await stage.running('Deployment', 0)
      const hooks = [
        approvalHook('beyond', 5),
        approvalHook('most', '99%'),
        approvalHook('half', '50%'),
        approvalHook('one-percent', '1%'),
        approvalHook('zero', 0),
      ]
      await stage.policy({ lifecycleHooks: hooks })
      const wanted: readonly (readonly [number, readonly number[]])[] = [
        [0, [0, 0, 0, 0, 0]],
        [1, [0, 1, 1, 1, 1]],
        [2, [0, 1, 1, 2, 2]],
      ]
      let before: string | undefined
      for (const [replicas, pods] of wanted) {
        await stage.scale(replicas)
        await stage.untilWorkload(({ status }) => (status['availableReplicas'] ?? 0) === replicas)
        const version = replicas + 2
        await stage.roll(version)
        const seen: [string, number][] = []
        for (const name of ['zero', 'one-percent', 'half', 'most', 'beyond']) {
          const { rollout } = await untilApprovalRequested(stage, name, before)
          expect(rollout?.hooks.filter(({ state }) => state === 'Running')).toHaveLength(1)
          seen.push([name, await fresh(stage, `v${version}`)])
          await approve(stage, name)
        }
        expect(seen.map(([, count]) => count)).toEqual(pods)
        before = idOf(await stage.untilPolicy((policy) => idOf(policy) !== before && hasEnded('Complete')(policy)))
      }
    },
  },
  {
    title: '[rollouts W9 F1 F5] maxSurge and maxUnavailable are respected for every combination',
    async play(stage) {
      await stage.running('Deployment', 4)
      await stage.policy({ lifecycleHooks: [approvalHook('half', '50%')] })
      const budgets: readonly (readonly [number | string, number | string, number, number])[] = [
        [0, 1, 4, 3],
        [1, 0, 5, 4],
        ['25%', '25%', 5, 3],
        ['100%', 0, 8, 4],
      ]
      let before: string | undefined
      for (const [index, [maxSurge, maxUnavailable, maxPods, fewest]] of budgets.entries()) {
        await stage.change({ spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } } })
        const seeing = new AbortController()
        const observed = await watchPods(stage, seeing.signal)
        await stage.roll(index + 2)
        await untilApprovalRequested(stage, 'half', before)
        expect(await fresh(stage, `v${index + 2}`)).toBe(2)
        await approve(stage, 'half')
        before = idOf(await stage.untilPolicy((policy) => idOf(policy) !== before && hasEnded('Complete')(policy)))
        seeing.abort()
        expect(observed.maxPods).toBeLessThanOrEqual(maxPods)
        expect(observed.minReadyPods).toBeGreaterThanOrEqual(fewest)
        expect((await stage.workload()).spec['strategy']).toMatchObject({ rollingUpdate: { maxSurge, maxUnavailable } })
      }
    },
  },
  {
    title:
      '[rollouts W10] new pods that never become ready start no hook and end the rollout at the deadline; a deleted pod repeats none',
    async play(stage) {
      await stage.running('Deployment', 2, { progressDeadlineSeconds: 10 })
      await stage.policy({ lifecycleHooks: [approvalHook('half', '50%', { rolloutTypes: ['ROLLOUT'] })] })
      await stage.roll(2, {}, never)
      const failed = await stage.untilPolicy(hasEnded('Aborted'))
      expect(failed.status?.rollout?.message).toContain('progressDeadlineSeconds')
      expect(attempts(failed)).toEqual([0])
      await stage.untilWorkload(({ status }) =>
        (status['conditions'] as { reason?: string }[]).some(({ reason }) => reason === 'ProgressDeadlineExceeded'),
      )
      await stage.roll(3)
      await untilApprovalRequested(stage, 'half', idOf(failed))
      const [lost] = (await stage.pods()).filter(({ spec }) => JSON.stringify(spec).includes('example/app:3'))
      await stage.client.of(resources.pods).delete(lost?.metadata.name ?? '', { namespace: stage.namespace })
      await approve(stage, 'half')
      expect(attempts(await stage.untilPolicy(hasEnded('Complete')))).toEqual([1])
      expect(await stage.versions()).toEqual({ v3: 2 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W11] unavailable old pods do not block new ones',
    async play(stage) {
      await stage.running('Deployment', 3)
      await stage.roll(2, {}, never)
      await stage.untilWorkload(({ status }) => status['updatedReplicas'] === 1)
      await stage.scale(4)
      await stage.policy({ lifecycleHooks: [approvalHook('half', '50%')] })
      const seeing = new AbortController()
      const observed = await watchPods(stage, seeing.signal)
      await stage.roll(3)
      await untilApprovalRequested(stage, 'half')
      expect(await fresh(stage, 'v3')).toBe(2)
      await approve(stage, 'half')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v3: 4 })
      expect(observed.minReadyPods).toBeGreaterThanOrEqual(3)
      seeing.abort()
    },
  },
  {
    title:
      '[rollouts W18] a StatefulSet stays held across deleted pods and new sizes, starts at its first ordinal, and replaces stuck pods',
    async play(stage) {
      await stage.running('StatefulSet', 2, { ordinals: { start: 3 } })
      await stage.policy({ lifecycleHooks: [approvalHook('zero', 0), approvalHook('one', 1)] })
      await stage.roll(2)
      const under = await untilApprovalRequested(stage, 'zero')
      await stage.client.of(resources.pods).delete('web-3', { namespace: stage.namespace })
      await stage.scale(3)
      await stage.untilWorkload(({ status }) => status['readyReplicas'] === 3)
      expect(await stage.versions()).toEqual({ v1: 3 })
      await approve(stage, 'zero')
      await untilApprovalRequested(stage, 'one')
      const updated = (await stage.pods()).filter(({ spec }) => JSON.stringify(spec).includes('example/app:2'))
      expect(updated.map(({ metadata }) => metadata.name)).toEqual(['web-5'])
      await approve(stage, 'one')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: 3 })

      await stage.roll(3, {}, never)
      const stuck = await untilApprovalRequested(stage, 'zero', under.rollout?.id)
      await approve(stage, 'zero')
      await stage.untilPods((pods) => pods.some(({ spec }) => JSON.stringify(spec).includes('example/app:3')))
      await stage.roll(2)
      const back = await approveAll(stage, stuck.rollout?.id)
      expect(back.policy.status?.rollout).toMatchObject({ type: 'UNDO', phase: 'Complete' })
      expect(await stage.versions()).toEqual({ v2: 3 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W18 F1] a StatefulSet undone half way stops at its points and counts pods that never changed',
    async play(stage) {
      await stage.running('StatefulSet', 3)
      const rolloutTypes = ['ROLLOUT', 'UNDO'] as const
      await stage.policy({
        lifecycleHooks: [approvalHook('one', 1, { rolloutTypes }), approvalHook('two', 2, { rolloutTypes })],
      })
      await stage.roll(2)
      await untilApprovalRequested(stage, 'one')
      await approve(stage, 'one')
      const { rollout } = await untilApprovalRequested(stage, 'two')
      expect(await stage.versions()).toEqual({ v1: 1, v2: 2 })
      await stage.roll(1)
      await untilApprovalRequested(stage, 'one', rollout?.id)
      expect(await stage.versions()).toEqual({ v1: 1, v2: 2 })
      await approve(stage, 'one')
      await untilApprovalRequested(stage, 'two', rollout?.id)
      expect(await stage.versions()).toEqual({ v1: 2, v2: 1 })
      await approve(stage, 'two')
      await stage.untilPolicy(hasEnded('Complete', 'UNDO'))
      expect(await stage.versions()).toEqual({ v1: 3 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W18] a parallel StatefulSet with its own partition is updated down to that partition only',
    async play(stage) {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }
      await stage.running('StatefulSet', 4, { podManagementPolicy: 'Parallel', updateStrategy })
      await stage.policy({ lifecycleHooks: [approvalHook('one', 1), approvalHook('end', '100%')] })
      await stage.roll(2)
      await untilApprovalRequested(stage, 'one')
      expect(await stage.versions()).toEqual({ v1: 3, v2: 1 })
      await approve(stage, 'one')
      await untilApprovalRequested(stage, 'end')
      await approve(stage, 'end')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v1: 2, v2: 2 })
      expect((await stage.workload()).spec['updateStrategy']).toMatchObject({ rollingUpdate: { partition: 2 } })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W19] a DaemonSet continues pod by pod and counts pods created by its controller',
    async play(stage) {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } }
      await stage.running('DaemonSet', 0, { updateStrategy })
      const nodes = (await stage.pods()).length
      await stage.policy({ lifecycleHooks: [approvalHook('zero', 0), approvalHook('one', 1)] })
      const seeing = new AbortController()
      const observed = await watchPods(stage, seeing.signal)
      await stage.roll(2)
      await untilApprovalRequested(stage, 'zero')
      const [lost] = await stage.pods()
      await stage.client.of(resources.pods).delete(lost?.metadata.name ?? '', { namespace: stage.namespace })
      await stage.untilPods(
        (pods) => pods.filter(({ spec }) => JSON.stringify(spec).includes('example/app:2')).length === 1,
      )
      await approve(stage, 'zero')
      await untilApprovalRequested(stage, 'one')
      expect(await stage.versions()).toEqual({ v1: nodes - 1, v2: 1 })
      await approve(stage, 'one')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: nodes })
      expect(observed.minReadyPods).toBeGreaterThanOrEqual(nodes - 1)
      seeing.abort()
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W19] a DaemonSet with maxSurge is not held, and its policy reports it',
    async play(stage) {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      await stage.running('DaemonSet', 0, { updateStrategy })
      await stage.create({ lifecycleHooks: [approvalHook('one', 1)] })
      const { status } = await stage.untilPolicy(
        (policy) => policy.status?.conditions?.some(({ reason }) => reason === 'SurgeNotSupported') === true,
      )
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({
          ...{ type: 'Stalled', status: 'True', reason: 'SurgeNotSupported' },
          message: expect.stringContaining('changed templates roll out without hooks'),
        }),
      )
    },
  },
  {
    title:
      '[rollouts W20 F3 F4 G2 G3 G5] two points of the same count follow each other; at one point, allowed failures are ignored and others abort',
    async play(stage) {
      await stage.running('Deployment', 3)
      await stage.policy({
        lifecycleHooks: [
          approvalHook('tenth', '10%'),
          approvalHook('fifth', '20%'),
          jobHook('may', '50%', { 'exit-code': '1' }, { failurePolicy: 'Ignore' }),
          jobHook('must', '50%', { 'exit-code': '1', 'run-for': '1s' }),
          jobHook('later', '100%'),
        ],
      })
      await stage.roll(2)
      const first = await untilApprovalRequested(stage, 'tenth')
      expect(first.rollout?.hooks.map(({ state }) => state)).toEqual(['Running', ...Array(4).fill('Pending')])
      expect(await fresh(stage, 'v2')).toBe(1)
      await approve(stage, 'tenth')
      await untilApprovalRequested(stage, 'fifth')
      expect(await fresh(stage, 'v2')).toBe(1)
      await approve(stage, 'fifth')
      const { status } = await stage.untilPolicy(isOver)
      expect([status?.rollout?.phase, ...(status?.rollout?.hooks.map(({ state }) => state) ?? [])]).toEqual([
        'Aborted',
        'Succeeded',
        'Succeeded',
        'Ignored',
        'Failed',
        'Pending',
      ])
      expect(await fresh(stage, 'v2')).toBe(2)
    },
  },
]
