/** A process for the tests of the crew: it dies or fails when it is told to. */
import type { Answer, Disturbance } from './crew.ts'

process.on('message', ({ scenario }: Disturbance) => {
  if (scenario === 'die') process.exit(7)
  const answer: Answer = { runs: 1, seconds: 0, ...(scenario === 'fail' ? { failure: 'it failed' } : {}) }
  process.send?.(answer)
})
