/** Edge cases of changed templates: by different clients, during a rollout, and back again. */
import { expect } from 'vitest'
import { isConflict } from '../../src/kube/errors.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import {
  approvalHook,
  approve,
  approveAll,
  type Edge,
  expectReleased,
  idOf,
  jobHook,
  settled,
  undoTo,
  untilApprovalRequested,
  watchPods,
} from './rollout-edge.ts'
import { hasEnded, isOver, isStarted, job, type Stage } from './rollout-stage.ts'
import { podTemplate } from './workloads.ts'

const image = (version: number) => `example/app:${version}`
const mainOf = (version: number) => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: image(version) }] } } },
})

/** The ways in which clients change a template. */
const ways: readonly (readonly [string, (stage: Stage, version: number) => Promise<unknown>])[] = [
  ['merge patch', (stage, version) => stage.change(mainOf(version))],
  [
    'strategic merge patch',
    (stage, version) => deployments(stage).patch('web', { type: 'strategic', value: mainOf(version) }, whereOf(stage)),
  ],
  [
    'JSON patch',
    (stage, version) => {
      const operations = [
        { op: 'replace' as const, path: '/spec/template/spec/containers/0/image', value: image(version) },
      ]
      return deployments(stage).patch('web', { type: 'json', operations }, whereOf(stage))
    },
  ],
  [
    'server-side apply',
    (stage, version) => {
      const metadata = { name: 'web', ...whereOf(stage) }
      const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, ...mainOf(version) } as KubeObject
      return deployments(stage).apply(object, { fieldManager: 'gitops', force: true })
    },
  ],
  [
    'replacement',
    async (stage, version) => {
      for (;;) {
        const found = await stage.workload()
        const spec = { ...found.spec, template: podTemplate('web', image(version)) }
        const stored = await deployments(stage)
          .update({ ...found, spec } as KubeObject)
          .catch((error: unknown) => {
            if (!isConflict(error)) throw error
          })
        if (stored !== undefined) return
      }
    },
  ],
  ['undo', (stage) => undoTo(stage, 1)],
]

const whereOf = ({ namespace }: Stage) => ({ namespace })
const deployments = ({ client }: Stage) => client.of<KubeObject>(resources.deployments)

export const templateEdges: readonly Edge[] = [
  {
    title: '[rollouts W1 B2 B4] no client can create a new pod before the first hook has ended',
    async play(stage) {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [approvalHook('go', 0)] })
      let before: string | undefined
      let present = 1
      for (const [index, [way, change]] of ways.entries()) {
        const version = way === 'undo' ? 1 : index + 2
        await change(stage, version)
        before = (await untilApprovalRequested(stage, 'go', before)).rollout?.id
        await settled(stage)
        expect([way, await stage.versions()]).toEqual([way, { [`v${present}`]: 2 }])
        await approve(stage, 'go')
        await stage.untilPolicy(isOver)
        expect([way, await stage.versions()]).toEqual([way, { [`v${version}`]: 2 }])
        present = version
      }
    },
  },
  {
    title:
      '[rollouts W3 G4] a new template cancels the Jobs of pre, mid and post, and rolls out from the last completed revision',
    async play(stage) {
      await stage.running('Deployment', 2, { strategy: { type: 'Recreate' } })
      const handler = { failurePolicy: 'Retry' as const, jobSpec: job({ 'run-for': '1h' }) }
      await stage.policy({ lifecycle: { pre: handler, mid: handler, post: handler } })
      const moments = ['pre', 'mid', 'post']
      const at = (moment: string, before?: string) =>
        stage.untilPolicy((policy) => idOf(policy) !== before && isStarted(moment)(policy))
      /** Completes the Jobs of these moments in the rollout after `before`. */
      const pass = async (before: string | undefined, passed: readonly string[]) => {
        for (const moment of passed) {
          const hooks = (await at(moment, before)).status?.rollout?.hooks
          await stage.endJob(hooks?.find(({ name }) => name === moment)?.object?.name ?? '')
        }
      }
      await stage.roll(2)
      await pass(undefined, moments)
      const first = await stage.untilPolicy(hasEnded('Complete'))
      const completed = first.status?.rollout?.to
      let id = idOf(first)
      for (const [index, moment] of moments.entries()) {
        await stage.roll(3 + index)
        await pass(id, moments.slice(0, index))
        const under = await at(moment, id)
        id = idOf(under)
        expect(under.status?.rollout?.from).toBe(completed)
      }
      await stage.roll(6)
      await pass(id, moments)
      const { status } = await stage.untilPolicy((policy) => idOf(policy) !== id && isOver(policy))
      expect(status?.rollout).toMatchObject({ phase: 'Complete', from: completed })
      expect(status?.history?.map(({ phase, hooks }) => [phase, ...hooks.map(({ attempts }) => attempts)])).toEqual([
        ['Complete', 1, 1, 1],
        ['Cancelled', 1, 1, 1],
        ['Cancelled', 1, 1, 0],
        ['Cancelled', 1, 0, 0],
        ['Complete', 1, 1, 1],
      ])
      await stage.untilJobs((jobs) => jobs.length === 0)
      expect(await stage.versions()).toEqual({ v6: 2 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W4] a new template at an intermediate point stops the creation of pods of the previous one',
    async play(stage) {
      await stage.running('Deployment', 4)
      await stage.policy({ lifecycleHooks: [approvalHook('half', '50%')] })
      const seeing = new AbortController()
      const observed = await watchPods(stage, seeing.signal)
      await stage.roll(2)
      const { rollout } = await untilApprovalRequested(stage, 'half')
      expect((await stage.versions())['v2']).toBe(2)
      await stage.roll(3)
      await untilApprovalRequested(stage, 'half', rollout?.id)
      await approve(stage, 'half')
      await stage.untilPolicy(isOver)
      expect(await stage.versions()).toEqual({ v3: 4 })
      await observed.until((pods) => pods.filter(({ spec }) => JSON.stringify(spec).includes(image(3))).length >= 4)
      const overtaken = [...observed.pods.values()].filter(({ spec }) => JSON.stringify(spec).includes(image(2)))
      expect(overtaken).toHaveLength(2)
      expect(observed.maxPods).toBeLessThanOrEqual(5)
      seeing.abort()
    },
  },
  {
    title:
      '[rollouts W5] a return to the old template cancels before the first pod, and is a rollback with hooks afterwards',
    async play(stage) {
      await stage.running('Deployment', 4)
      await stage.policy({
        lifecycle: { post: { failurePolicy: 'Ignore', approval: {} } },
        lifecycleHooks: [approvalHook('zero', 0), approvalHook('half', '40%')],
      })
      await stage.roll(2)
      await untilApprovalRequested(stage, 'zero')
      await stage.roll(1)
      const { status } = await stage.untilPolicy((policy) => policy.status?.rollout === undefined)
      expect(status?.history).toMatchObject([{ phase: 'Cancelled' }])
      await expectReleased(stage)

      await stage.roll(2)
      const under = await untilApprovalRequested(stage, 'zero')
      await approve(stage, 'zero')
      await untilApprovalRequested(stage, 'half')
      await stage.roll(1)
      const back = await approveAll(stage, under.rollout?.id)
      expect(back.order).toEqual([])
      expect(back.policy.status?.rollout).toMatchObject({ type: 'UNDO', phase: 'Complete' })
      expect(await stage.versions()).toEqual({ v1: 4 })

      await stage.roll(2)
      const last = await untilApprovalRequested(stage, 'zero', back.policy.status?.rollout?.id)
      await approve(stage, 'zero')
      await untilApprovalRequested(stage, 'half')
      await approve(stage, 'half')
      await untilApprovalRequested(stage, 'post')
      expect(await stage.versions()).toEqual({ v2: 4 })
      await stage.roll(1)
      const again = await approveAll(stage, last.rollout?.id)
      expect(again.order).toEqual([])
      expect(again.policy.status?.rollout).toMatchObject({ type: 'UNDO', phase: 'Complete' })
      expect(await stage.versions()).toEqual({ v1: 4 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W6] an undo to a revision older than the policy runs the hooks and removes no fields',
    async play(stage) {
      await stage.running('Deployment', 2)
      await stage.roll(2)
      await stage.untilWorkload(
        ({ metadata, status }) =>
          status['observedGeneration'] === metadata.generation &&
          status['updatedReplicas'] === 2 &&
          status['availableReplicas'] === 2 &&
          status['replicas'] === 2,
      )
      await stage.policy({ lifecycleHooks: [approvalHook('back', 0, { rolloutTypes: ['ROLLBACK'] })] })
      await undoTo(stage, 1)
      const { rollout } = await untilApprovalRequested(stage, 'back')
      expect(rollout?.type).toBe('ROLLBACK')
      await settled(stage)
      expect(await stage.versions()).toEqual({ v2: 2 })
      await approve(stage, 'back')
      await stage.untilPolicy(hasEnded('Complete', 'ROLLBACK'))
      expect(await stage.versions()).toEqual({ v1: 2 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W17] a Deployment paused by its owner starts its hooks when it is resumed',
    async play(stage) {
      await stage.running('Deployment', 2)
      await stage.policy({ lifecycleHooks: [approvalHook('go', 0)] })
      await stage.change({ spec: { paused: true } })
      await stage.roll(2)
      const isPaused = ({ status }: RolloutPolicy) =>
        status?.conditions?.some(({ reason }) => reason === 'PausedByOwner') === true
      expect((await stage.untilPolicy(isPaused)).status?.rollout).toBeUndefined()
      await stage.change({ spec: { paused: false } })
      await untilApprovalRequested(stage, 'go')
      await settled(stage)
      expect(await stage.versions()).toEqual({ v1: 2 })
      await approve(stage, 'go')
      await stage.untilPolicy(hasEnded('Complete'))
      expect(await stage.versions()).toEqual({ v2: 2 })
      await expectReleased(stage)
    },
  },
  {
    title: '[rollouts W22 H1] retained Jobs are deleted with their revision',
    async play(stage) {
      await stage.running('Deployment', 1, { revisionHistoryLimit: 1 })
      await stage.policy({ lifecycleHooks: [jobHook('keep', 0, { 'run-for': '0s' }, { retainPolicy: 'Always' })] })
      const owners = async () =>
        (await stage.jobs()).map(({ metadata }) => metadata.labels?.['carabiner.dev/revision'] ?? '').toSorted()
      const completed = async (version: number) => {
        const before = idOf(await stage.untilPolicy(() => true))
        await stage.roll(version)
        const { status } = await stage.untilPolicy((policy) => idOf(policy) !== before && hasEnded('Complete')(policy))
        return status?.rollout?.to ?? ''
      }
      const [second, third] = [await completed(2), await completed(3)]
      expect(await owners()).toEqual([second, third].toSorted())
      const fourth = await completed(4)
      await stage.untilJobs((jobs) => jobs.length === 2)
      expect(await owners()).toEqual([third, fourth].toSorted())
      await stage.change({ spec: { revisionHistoryLimit: 0 } })
      await stage.untilJobs((jobs) => jobs.length === 1)
      expect(await owners()).toEqual([fourth])
    },
  },
]
