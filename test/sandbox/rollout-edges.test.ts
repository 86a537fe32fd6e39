/** The edge cases of rollouts in virtual time; the same as on clusters. */
import { describe, it } from 'vitest'
import { documentEdges } from '../cluster/rollout-edges-documents.ts'
import { nothingEdges } from '../cluster/rollout-edges-nothing.ts'
import { peopleEdges } from '../cluster/rollout-edges-people.ts'
import { progressEdges } from '../cluster/rollout-edges-progress.ts'
import { recreatedEdges } from '../cluster/rollout-edges-recreated.ts'
import { templateEdges } from '../cluster/rollout-edges-templates.ts'
import { unsteadyEdges } from '../cluster/rollout-edges-unsteady.ts'
import { play } from './rollouts.ts'

describe('edge cases of rollouts', () => {
  for (const { title, play: playEdge } of [
    ...documentEdges,
    ...templateEdges,
    ...progressEdges,
    ...nothingEdges,
    ...peopleEdges,
    ...unsteadyEdges,
    ...recreatedEdges,
  ])
    it(title, () => play(80, playEdge, {}, 'edge'), 60_000)
})
