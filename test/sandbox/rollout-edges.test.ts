/** The edge cases of rollouts in virtual time; the same as on clusters. */
import { describe, it } from 'vitest'
import { anewEdges } from '../cluster/rollout-edges-anew.ts'
import { documentEdges } from '../cluster/rollout-edges-documents.ts'
import { nothingEdges } from '../cluster/rollout-edges-nothing.ts'
import { peopleEdges } from '../cluster/rollout-edges-people.ts'
import { progressEdges } from '../cluster/rollout-edges-progress.ts'
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
    ...anewEdges,
  ])
    it(title, () => play(80, playEdge, {}, 'edge'), 60_000)
})
