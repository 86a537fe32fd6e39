import { describe, expect, it } from 'vitest'
import { inCluster } from '../../../test/sandbox/cluster.ts'
import type { KubeClient } from '../../kube/index.ts'
import { createLeadership } from '../../kube/index.ts'
import { resources } from '../../kube/kinds/index.ts'
import { leaseMetadata } from '../../operator/lease-metadata.ts'
import type { Runtime } from '../../runtime/index.ts'
import { programVersion } from '../program-version.ts'
import { operatorFindings } from './operator.ts'

interface Given {
  readonly namespace?: string
  readonly name?: string
  readonly version?: string
  /** How far the clock of the holder is ahead. */
  readonly skewMs?: number
}

/** Holds a Lease as an operator does, until the function that is returned is called. */
function lead(client: KubeClient, runtime: Runtime, given: Given = {}): () => void {
  const { namespace = 'default', name = 'carabiner', version = programVersion(), skewMs = 0 } = given
  const clock = { ...runtime.clock, now: () => runtime.clock.now() + skewMs }
  const about = leaseMetadata(version, ['rollouts'])
  const options = { namespace, name, identity: `${name}-of-${namespace}`, about }
  const ending = new AbortController()
  const untilAborted = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  void createLeadership(client.of(resources.leases), { ...runtime, clock }, options).run(untilAborted, ending.signal)
  return () => ending.abort()
}

const see = (client: KubeClient, { clock }: Runtime) =>
  operatorFindings(client, { clock, signal: new AbortController().signal })

describe('the doctor', () => {
  it('finds an operator by its Lease of any name in any namespace', () =>
    inCluster(
      async ({ client, runtime, sleep }) => {
        expect(await see(client, runtime)).toEqual([])
        lead(client, runtime, { namespace: 'kube-system', name: 'hooks' })
        await sleep(1)
        const detail = `hooks-of-kube-system is leader (Lease kube-system/hooks; version ${programVersion()}; surfaces rollouts)`
        expect(await see(client, runtime)).toEqual([{ name: 'operator', state: 'works', detail }])
      },
      { nodes: 0 },
    ))

  it('does not call an operator absent whose clock is ten minutes behind', () =>
    inCluster(
      async ({ client, runtime, sleep }) => {
        lead(client, runtime, { skewMs: -600_000 })
        await sleep(1)
        expect(await see(client, runtime)).toMatchObject([{ state: 'works' }])
      },
      { nodes: 0 },
    ))

  it('says for how long no operator leads after one ended', () =>
    inCluster(
      async ({ client, runtime, sleep }) => {
        const end = lead(client, runtime)
        await sleep(1)
        end()
        await sleep(30)
        expect(await see(client, runtime)).toMatchObject([
          { state: 'optional', detail: 'no leader for 30 s (Lease default/carabiner)' },
        ])
      },
      { nodes: 0 },
    ))

  it('does not take the Lease of a killed operator for an operator', () =>
    inCluster(
      async ({ client, runtime, sleep }) => {
        const renewTime = new Date(runtime.clock.now()).toISOString().replace('Z', '000Z')
        await client.of(resources.leases).create({
          ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
          metadata: { name: 'carabiner', namespace: 'default' },
          spec: { holderIdentity: 'killed', leaseDurationSeconds: 15, renewTime, acquireTime: renewTime },
        })
        await sleep(20)
        expect(await see(client, runtime)).toMatchObject([
          { state: 'optional', detail: expect.stringContaining('no leader for 26 s') },
        ])
      },
      { nodes: 0 },
    ))

  it('reports two operators for rollouts, and one of another version', () =>
    inCluster(
      async ({ client, runtime, sleep }) => {
        lead(client, runtime)
        lead(client, runtime, { namespace: 'kube-system', version: '0.0.1' })
        await sleep(1)
        const found = await see(client, runtime)
        expect(found.map(({ state }) => state).sort()).toEqual(['missing', 'optional', 'works'])
        expect(found.find(({ state }) => state === 'missing')?.detail).toMatch(/^2 operators run rollouts/)
        expect(found.find(({ state }) => state === 'optional')?.remedy).toContain(programVersion())
      },
      { nodes: 0 },
    ))
})
