/**
 * Held Deployments without pods that are resumed manually while the ReplicaSet of the new template is hidden, in
 * virtual time.
 */
import { expect, it } from 'vitest'
import { releaseLabel } from '../../src/rollouts/labels.ts'
import { isHidden } from '../../src/rollouts/objects/hidden-replica-set.ts'
import { approvalHook, approve, untilApprovalRequested } from '../cluster/rollout-edge.ts'
import { hasEnded, play, type Stage } from './rollouts.ts'

async function heldEmpty(stage: Stage): Promise<void> {
  await stage.running('Deployment', 0)
  await stage.policy({ lifecycleHooks: [approvalHook('zero', 0)] })
  await stage.roll(2)
  await untilApprovalRequested(stage, 'zero')
  await stage.untilReplicaSets((sets) => sets.some(isHidden))
}

/** Resumes the Deployment manually and scales it, so that pods of the new version run. */
async function resumedManually(stage: Stage, labels = {}): Promise<readonly string[]> {
  await stage.change({ metadata: { labels }, spec: { paused: false } })
  await stage.scale(2)
  await stage.untilWorkload(({ status }) => status['updatedReplicas'] === 2 && status['availableReplicas'] === 2)
  return uids(stage)
}

const uids = async (stage: Stage) => (await stage.pods()).map(({ metadata }) => metadata.uid ?? '').toSorted()
const isWhole = (sets: readonly Parameters<typeof isHidden>[0][]) => sets.length === 2 && !sets.some(isHidden)

it('[rollouts W16] a resume while the operator is down leaves one ReplicaSet per template after its restart', () =>
  play(91, async (stage) => {
    await heldEmpty(stage)
    await stage.down()
    const running = await resumedManually(stage, { [releaseLabel]: 'true' })
    await stage.restart()
    await stage.untilPolicy(hasEnded('Cancelled'))
    await stage.untilReplicaSets(isWhole)
    await stage.runtime.clock.sleep(30_000)
    expect(await uids(stage)).toEqual(running)
    expect(await stage.replicaSets()).toEqual([2, 0])
  }))

it('[rollouts W16] a resume without admission lets the hook continue and completes the rollout with the running pods', () =>
  play(
    92,
    async (stage) => {
      await heldEmpty(stage)
      const running = await resumedManually(stage)
      await approve(stage, 'zero')
      await stage.untilPolicy(hasEnded('Complete'))
      await stage.untilReplicaSets(isWhole)
      await stage.runtime.clock.sleep(30_000)
      expect(await uids(stage)).toEqual(running)
      expect(await stage.replicaSets()).toEqual([2, 0])
    },
    { use: 'at-rest' },
  ))
