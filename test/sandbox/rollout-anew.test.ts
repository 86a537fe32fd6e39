/** Workloads that are deleted and created again under a rollout, as `kubectl replace --force` does, in virtual time. */
import { describe, expect, it } from 'vitest'
import { workloadTypes } from '../../src/cli/rollout/policies.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { at, hasEnded, isStarted, job, play } from './rollouts.ts'

const where = { namespace: 'default' }
const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'] as const

describe.each(kinds)('a %s that is created again', (kind) => {
  it('is not what the rollout before was about, also with its template', () =>
    play(74, async (stage) => {
      await stage.running(kind, 2)
      const migrate = { name: 'migrate', trigger: at(0), jobSpec: job({ 'run-for': '600s' }) }
      await stage.policy({ lifecycleHooks: [migrate] })
      await stage.roll(2)
      await stage.untilPolicy(isStarted('migrate'))
      const { metadata, ...object } = (await stage.workload()) as unknown as KubeObject & { spec: object }
      const workloads = stage.client.of(workloadTypes[kind])
      await workloads.delete('web', { ...where, propagationPolicy: 'Background' })
      await stage.runtime.clock.sleep(60_000)
      const { paused: _, updateStrategy: __, ...spec } = object.spec as Readonly<Record<string, unknown>>
      const { status: ___, ...rest } = object as Readonly<Record<string, unknown>>
      await workloads.create({ ...rest, metadata: { name: 'web', ...where }, spec } as unknown as KubeObject)
      const { status } = await stage.untilPolicy(hasEnded('Cancelled'))
      expect(status?.rollout?.message).toBe(`${kind} web was deleted and created again`)
      await stage.runtime.clock.sleep(60_000)
      const found = await stage.workload()
      expect(Object.keys(found.metadata.labels ?? {})).toEqual(['carabiner.dev/rollout-policy'])
      expect(await stage.versions()).toEqual({ v2: kind === 'DaemonSet' ? 3 : 2 })
      await stage.changePolicy({ lifecycleHooks: [{ ...migrate, jobSpec: job() }] })
      await stage.roll(3)
      await stage.untilPolicy(hasEnded('Complete'))
    }))
})
