/** A worker for the tests of the pool: it exits or fails as the scenario says. */
import type { Answer, Disturbance } from './pool.ts'

process.on('message', ({ scenario }: Disturbance) => {
  if (scenario === 'die') process.exit(7)
  const answer: Answer = { runs: 1, seconds: 0, ...(scenario === 'fail' ? { failure: 'it failed' } : {}) }
  process.send?.(answer)
})
