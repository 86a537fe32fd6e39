/** Edge cases of unstable pods and nodes: pods that become unready, nodes that join, leave or are cordoned. */
import { expect } from 'vitest'
import { resources } from '../../src/kube/kinds/index.ts'
import {
  approvalHook,
  approve,
  type Edge,
  expectReleased,
  idOf,
  untilApprovalRequested,
  watchPods,
} from './rollout-edge.ts'
import { type Found, hasEnded, isReady, type Stage } from './rollout-stage.ts'
import { podTemplate } from './workloads.ts'

const changeNode = (stage: Stage, name: string, value: object) =>
  stage.client.of(resources.nodes).patch(name, { type: 'merge', value })

export const unstableEdges: readonly Edge[] = [
  {
    title:
      '[rollouts W10] new pods that become unready repeat no hook, start no next hook, and end the rollout at the deadline',
    async play(stage) {
      await stage.running('Deployment', 2, { progressDeadlineSeconds: 15 })
      await stage.policy({ lifecycleHooks: [approvalHook('half', '50%'), approvalHook('end', '100%')] })
      await stage.roll(2, {}, { 'unready-after': '4s' })
      await untilApprovalRequested(stage, 'half')
      await stage.untilPods((pods) => pods.some((pod) => isOf(pod, 2) && !isReady(pod)))
      await approve(stage, 'half')
      const failed = await stage.untilPolicy(hasEnded('Aborted'))
      expect(failed.status?.rollout?.message).toContain('progressDeadlineSeconds')
      expect(failed.status?.rollout?.hooks.map(({ name, attempts }) => [name, attempts])).toEqual([
        ['half', 1],
        ['end', 0],
      ])
      await stage.roll(3)
      for (const name of ['half', 'end']) {
        await untilApprovalRequested(stage, name, idOf(failed))
        await approve(stage, name)
      }
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v3: 2 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W19] nodes that join or leave a DaemonSet move its points, and a cordoned node counts',
    async play(stage) {
      const { items } = await stage.client.of(resources.nodes).list()
      const [first = '', second = '', joining = ''] = items.map(({ metadata }) => metadata.name).toSorted()
      const label = `example.com/${stage.namespace}`
      const join = (name: string) => changeNode(stage, name, { metadata: { labels: { [label]: 'member' } } })
      const leave = (name: string) => changeNode(stage, name, { metadata: { labels: { [label]: null } } })
      await Promise.all([first, second].map(join))
      const { metadata, spec } = podTemplate('web')
      const template = { metadata, spec: { ...spec, nodeSelector: { [label]: 'member' } } }
      await stage.running('DaemonSet', 0, { template })
      // The controller may have observed the set before both of its nodes.
      await stage.untilPods((pods) => pods.filter(isReady).length === 2)
      await stage.policy({
        lifecycleHooks: [approvalHook('zero', 0), approvalHook('two', 2), approvalHook('end', '100%')],
      })
      const seeing = new AbortController()
      const observed = await watchPods(stage, seeing.signal)
      try {
        const containers = [{ name: 'main', image: 'example/app:2' }]
        await stage.change({ spec: { template: { spec: { containers } } } })
        await untilApprovalRequested(stage, 'zero')
        expect(await stage.versions()).toEqual({ v1: 2 })
        // The native controller creates a pod of the new template on a new node: there is no old pod to hold.
        await join(joining)
        await stage.untilPods((pods) => pods.filter((pod) => isOf(pod, 2) && isReady(pod)).length === 1)
        await changeNode(stage, first, { spec: { unschedulable: true } })
        await approve(stage, 'zero')
        await untilApprovalRequested(stage, 'two')
        expect(await stage.versions()).toEqual({ v1: 1, v2: 2 })
        await approve(stage, 'two')
        await untilApprovalRequested(stage, 'end')
        expect(await stage.versions()).toEqual({ v2: 3 })
        expect(observed.minReadyPods).toBeGreaterThanOrEqual(1)
        await leave(joining)
        await stage.untilPods((pods) => pods.length === 2)
        await approve(stage, 'end')
        await stage.untilPolicy(hasEnded('Complete'))
        expect(await stage.versions()).toEqual({ v2: 2 })
        await expectReleased(stage)
      } finally {
        seeing.abort()
        await changeNode(stage, first, { spec: { unschedulable: null } })
        await Promise.all([first, second].map(leave))
      }
    },
  },
]

function isOf(pod: Found, version: number): boolean {
  return JSON.stringify(pod.spec).includes(`example/app:${version}`)
}
