/** The edge cases of rollouts in virtual time; the same as on clusters. */
import { describe, it } from 'vitest'
import { documentEdges } from '../cluster/rollout-edges-documents.ts'
import { interventionEdges } from '../cluster/rollout-edges-interventions.ts'
import { progressEdges } from '../cluster/rollout-edges-progress.ts'
import { recreatedEdges } from '../cluster/rollout-edges-recreated.ts'
import { templateEdges } from '../cluster/rollout-edges-templates.ts'
import { unstableEdges } from '../cluster/rollout-edges-unstable.ts'
import { withoutPodsEdges } from '../cluster/rollout-edges-without-pods.ts'
import { play } from './rollouts.ts'

describe('edge cases of rollouts', () => {
  for (const { title, play: playEdge } of [
    ...documentEdges,
    ...templateEdges,
    ...progressEdges,
    ...withoutPodsEdges,
    ...interventionEdges,
    ...unstableEdges,
    ...recreatedEdges,
  ])
    it(title, () => play(80, playEdge, {}, 'edge'), 60_000)
})
