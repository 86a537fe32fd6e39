/** The samples with hooks behave as their pages describe: roll out, wait, fail and recover. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { answer } from '../../src/cli/rollout/approve.ts'
import { tryAgain } from '../../src/cli/rollout/retry.ts'
import { undoRollout } from '../../src/cli/rollout/undo.ts'
import { applySamples } from '../../src/cli/up/samples.ts'
import { resources } from '../../src/kube/kinds/index.ts'
import { parseManifests } from '../../src/kube/manifest/index.ts'
import type { KubeObject } from '../../src/kube/object.ts'
import { until } from '../../src/kube/until.ts'
import { policyType } from '../../src/rollouts/observe/caches.ts'
import type { RolloutPolicy } from '../../src/rollouts/policy/types.ts'
import { isOver, play, type Stage } from './rollouts.ts'

const signal = new AbortController().signal
const place = ({ client }: Stage) => ({ client, namespace: 'shop' })

async function sample(stage: Stage, file: string, name: string) {
  const read = (path: string) =>
    parseManifests(readFileSync(new URL(`../../examples/${path}`, import.meta.url), 'utf8'), path)
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }
  const objects = [namespace, ...read(file)]
  await applySamples(stage.client, stage.runtime, objects, signal)
  const [workload] = read(file)
  const type = {
    Deployment: resources.deployments,
    StatefulSet: resources.statefulSets,
    DaemonSet: resources.daemonSets,
  }[workload?.kind as 'Deployment'] as typeof resources.deployments
  const policies = stage.client.of<RolloutPolicy>(policyType)
  const policy = (holds: (policy: RolloutPolicy) => boolean) =>
    until(policies, stage.runtime, { name, namespace: 'shop', signal }, holds)
  await policy(
    ({ status }) =>
      status?.conditions?.some(({ type: is, status: holds }) => is === 'Ready' && holds === 'True') ?? false,
  )
  await stage.runtime.clock.sleep(5000)
  return {
    policy,
    async roll(version: number) {
      const containers = [{ name, image: `shop/${name}:${version}` }]
      const value = { spec: { template: { spec: { containers } } } }
      await stage.client.of(type).patch(name, { type: 'strategic', value }, { namespace: 'shop' })
    },
    /** The sed commands of the pages. */
    async edit(from: string, to: string) {
      const text = JSON.stringify(await policies.get(name, { namespace: 'shop' }))
      expect(text).toContain(from)
      await policies.update(JSON.parse(text.replace(from, to)) as RolloutPolicy)
    },
    async images() {
      const { items } = await stage.client.of(resources.pods).list({ namespace: 'shop', labelSelector: `app=${name}` })
      const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      return [
        ...new Set(
          alive.map(
            (pod) => (pod as unknown as { spec: { containers: { image: string }[] } }).spec.containers[0]?.image,
          ),
        ),
      ]
    },
  }
}

const isAborted = ({ status }: RolloutPolicy) =>
  status?.rollout?.phase === 'Aborted' && status.rollout.endedAt !== undefined
const isComplete = ({ status }: RolloutPolicy) => status?.rollout?.phase === 'Complete'

describe('samples with hooks', () => {
  it('5: a Deployment is stopped by a failing migration and continues when it is fixed', () =>
    play(90, async (stage) => {
      const cart = await sample(stage, '05-rollout-hooks/cart.yaml', 'cart')
      await cart.roll(2)
      await cart.policy(isComplete)
      await cart.edit('echo migrated', 'exit 1')
      await cart.roll(3)
      await cart.policy(isAborted)
      expect(await cart.images()).toEqual(['shop/cart:2'])
      await cart.edit('exit 1', 'echo migrated')
      await tryAgain(place(stage), 'cart')
      await cart.policy(isComplete)
      expect(await cart.images()).toEqual(['shop/cart:3'])
    }))

  it('6: a StatefulSet waits for an approval, is undone, and tries a backup three times', () =>
    play(91, async (stage) => {
      const ledger = await sample(stage, '06-stateful-rollout-hooks/ledger.yaml', 'ledger')
      const isAsked = ({ status }: RolloutPolicy) => status?.rollout?.waitingFor === 'sign-off'
      await ledger.roll(2)
      await ledger.policy(isAsked)
      await answer(place(stage), 'ledger', 'sign-off', 'approved')
      await ledger.policy(isComplete)
      await ledger.roll(3)
      await ledger.policy(isAsked)
      await answer(place(stage), 'ledger', 'sign-off', 'rejected')
      const aborted = await ledger.policy(isAborted)
      await undoRollout(place(stage), 'ledger')
      await ledger.policy((policy) => isComplete(policy) && policy.status?.rollout?.id !== aborted.status?.rollout?.id)
      expect(await ledger.images()).toEqual(['shop/ledger:2'])
      await ledger.edit('echo saved', 'exit 1')
      await ledger.roll(4)
      const { status } = await ledger.policy(isAborted)
      expect(status?.rollout?.hooks[0]).toMatchObject({ name: 'pre', state: 'Failed', attempts: 3 })
      expect(await ledger.images()).toEqual(['shop/ledger:2'])
    }))

  it('7: a DaemonSet is undone automatically', () =>
    play(92, async (stage) => {
      const collector = await sample(stage, '07-daemon-rollout-hooks/collector.yaml', 'collector')
      await collector.roll(2)
      await collector.policy(isComplete)
      await collector.edit('echo 420 samples', 'exit 1')
      await collector.roll(3)
      const { status } = await collector.policy((policy) => isOver(policy) && policy.status?.rollout?.type === 'UNDO')
      expect(status?.history?.map(({ type, phase }) => [type, phase])).toEqual([
        ['UNDO', 'Complete'],
        ['ROLLOUT', 'Aborted'],
        ['ROLLOUT', 'Complete'],
      ])
      expect(await collector.images()).toEqual(['shop/collector:2'])
    }))
})
