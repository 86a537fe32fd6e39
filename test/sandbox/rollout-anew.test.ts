/** Workloads that are deleted and created again under a rollout, as `kubectl replace --force` does, in virtual time. */
import { describe, expect, it } from 'vitest'
import { workloadTypes } from '../../src/cli/rollout/policies.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { at, hasEnded, isAtRest, isStarted, job, play, type Stage } from './rollouts.ts'

const where = { namespace: 'default' }
const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const
const rolloutTypes = ['CREATE', 'ROLLOUT', 'ROLLBACK'] as const

/** Its template stays; what the gate has made of it does not. */
async function createAgain(
  stage: Stage,
  kind: (typeof kinds)[number],
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { apiVersion, kind: _, ...found } = await stage.workload()
  const made = ['paused', 'updateStrategy', 'strategy', 'minReadySeconds', 'progressDeadlineSeconds']
  const spec = Object.fromEntries(Object.entries(found.spec).filter(([field]) => !made.includes(field)))
  const workloads = stage.client.of(workloadTypes[kind])
  await workloads.delete('web', { ...where, propagationPolicy: 'Background' })
  await stage.runtime.clock.sleep(60_000)
  await workloads.create({
    apiVersion,
    kind,
    metadata: { name: 'web', ...where, labels },
    spec,
  } as unknown as KubeObject)
}

const migrate = (settings: Readonly<Record<string, string>> = {}) => ({
  name: 'migrate',
  trigger: at(0),
  jobSpec: job(settings),
})

describe.each(kinds)('a %s that is created again', (kind) => {
  it('is not what the rollout before was about, also with its template', () =>
    play(74, async (stage) => {
      await stage.running(kind, 2)
      await stage.policy({ lifecycleHooks: [migrate({ 'run-for': '600s' })] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('migrate'))
      await createAgain(stage, kind)
      const { status } = await stage.untilPolicy(hasEnded('Cancelled'))
      expect(status?.rollout?.message).toBe(`${kind} web was deleted and created again`)
      await stage.runtime.clock.sleep(60_000)
      const found = await stage.workload()
      expect(Object.keys(found.metadata.labels ?? {})).toEqual(['carabiner.dev/rollout-policy'])
      expect(await stage.versions()).toEqual({ v2: kind === 'DaemonSet' ? 3 : 2 })
      await stage.changePolicy({ lifecycleHooks: [migrate()] })
      await stage.roll(3)
      await stage.untilPolicy(hasEnded('Complete'))
    }))

  it('is not held for what was aborted before', () =>
    play(75, async (stage) => {
      await stage.running(kind, 2)
      await stage.policy({ lifecycleHooks: [migrate({ 'exit-code': '1' })] })
      await stage.roll(2)
      await stage.untilPolicy(hasEnded('Aborted'))
      await createAgain(stage, kind)
      const { status } = await stage.untilPolicy(isAtRest)
      expect([status?.rollout, status?.history?.map(({ phase }) => phase)]).toEqual([undefined, ['Aborted']])
      await stage.runtime.clock.sleep(60_000)
      expect(await stage.versions()).toEqual({ v2: kind === 'DaemonSet' ? 3 : 2 })
      await stage.changePolicy({ lifecycleHooks: [migrate()] })
      await stage.roll(3)
      await stage.untilPolicy(hasEnded('Complete'))
    }))
})

it('runs the hooks of a Deployment that is created again with a template that was aborted before', () =>
  play(76, async (stage) => {
    await stage.running('Deployment', 2)
    await stage.policy({ rolloutTypes, lifecycleHooks: [migrate({ 'exit-code': '1' })] })
    await stage.roll(2)
    await stage.untilPolicy(hasEnded('Aborted'))
    await stage.changePolicy({ rolloutTypes, lifecycleHooks: [migrate()] })
    await createAgain(stage, 'Deployment', { 'carabiner.dev/rollout-policy': 'web' })
    const { status } = await stage.untilPolicy(hasEnded('Complete', 'CREATE'))
    expect(status?.rollout?.hooks).toMatchObject([{ name: 'migrate', state: 'Succeeded', attempts: 1 }])
    expect(await stage.versions()).toEqual({ v2: 2 })
  }))

it('begins a Deployment that is created again under way as if it had never been there', () =>
  play(77, async (stage) => {
    await stage.running('Deployment', 2)
    const halfway = { ...migrate({ 'run-for': '600s' }), trigger: at('50%') }
    await stage.policy({ rolloutTypes, lifecycleHooks: [halfway] })
    await stage.roll(2)
    const { status: before } = await stage.untilPolicy(isStarted('migrate'))
    expect(before?.rollout?.moved).toBe(true)
    await stage.changePolicy({ rolloutTypes, lifecycleHooks: [migrate({ 'run-for': '60s' })] })
    await createAgain(stage, 'Deployment', { 'carabiner.dev/rollout-policy': 'web' })
    const { status } = await stage.untilPolicy((policy) => policy.status?.rollout?.type === 'CREATE')
    expect(status?.rollout).not.toHaveProperty('moved')
    expect(status?.history).toMatchObject([
      { phase: 'Cancelled', type: 'ROLLOUT', message: 'Deployment web was deleted and created again' },
    ])
    await stage.untilPolicy(hasEnded('Complete', 'CREATE'))
    expect(await stage.versions()).toEqual({ v2: 2 })
  }))
