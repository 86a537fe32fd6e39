/** Gates of Deployments without pods that are opened by hand, while the ReplicaSet of the new template is kept apart, in virtual time. */
import { expect, it } from 'vitest'
import { releaseLabel } from '../../src/rollouts/labels.ts'
import { isApart } from '../../src/rollouts/objects/hidden-replica-set.ts'
import { approve, ask, asked } from '../cluster/rollout-edge.ts'
import { hasEnded, play, type Stage } from './rollouts.ts'

async function heldEmpty(stage: Stage): Promise<void> {
  await stage.running('Deployment', 0)
  await stage.policy({ lifecycleHooks: [ask('zero', 0)] })
  await stage.roll(2)
  await asked(stage, 'zero')
  await stage.untilReplicaSets((sets) => sets.some(isApart))
}

/** Opened by hand, with pods of the new version. */
async function opened(stage: Stage, labels = {}): Promise<readonly string[]> {
  await stage.change({ metadata: { labels }, spec: { paused: false } })
  await stage.scale(2)
  await stage.untilWorkload(({ status }) => status['updatedReplicas'] === 2 && status['availableReplicas'] === 2)
  return uids(stage)
}

const uids = async (stage: Stage) => (await stage.pods()).map(({ metadata }) => metadata.uid ?? '').toSorted()
const isWhole = (sets: readonly Parameters<typeof isApart>[0][]) => sets.length === 2 && !sets.some(isApart)

it('[rollouts W16] past an operator that is down, it leaves one ReplicaSet for each template when that is back', () =>
  play(91, async (stage) => {
    await heldEmpty(stage)
    await stage.down()
    const running = await opened(stage, { [releaseLabel]: 'true' })
    await stage.restart()
    await stage.untilPolicy(hasEnded('Cancelled'))
    await stage.untilReplicaSets(isWhole)
    await stage.runtime.clock.sleep(30_000)
    expect(await uids(stage)).toEqual(running)
    expect(await stage.replicaSets()).toEqual([2, 0])
  }))

it('[rollouts W16] where nobody is kept from it, the hook goes on and the rollout ends with what runs', () =>
  play(
    92,
    async (stage) => {
      await heldEmpty(stage)
      const running = await opened(stage)
      await approve(stage, 'zero')
      await stage.untilPolicy(hasEnded('Complete'))
      await stage.untilReplicaSets(isWhole)
      await stage.runtime.clock.sleep(30_000)
      expect(await uids(stage)).toEqual(running)
      expect(await stage.replicaSets()).toEqual([2, 0])
    },
    { use: 'at-rest' },
  ))
