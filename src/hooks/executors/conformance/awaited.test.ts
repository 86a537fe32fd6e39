import { describe, it } from 'vitest'
import { createSimulation } from '../../../runtime/simulated/index.ts'
import { type Run, runKey } from '../../run/index.ts'
import { ApprovalExecutor, type ApprovalRequest, approvalAnnotation } from '../approval.ts'
import { promises } from './promises.ts'
import type { ExecutorWorld } from './world.ts'

describe('the approval executor', () => {
  it.each(promises.filter(({ says }) => says.awaited !== undefined))('keeps the promise: $name', (promise) => {
    const simulation = createSimulation(1)
    const { clock } = simulation.runtime
    const requests = new Map<string, ApprovalRequest>()
    const annotations = new Map<string, string>()
    let stored = 0
    const records = {
      async store(requested: Run, request: ApprovalRequest) {
        await clock.sleep(1)
        // As a write of an API server: the second one of the same run meets the first.
        if (requests.has(runKey(requested))) return
        stored += 1
        requests.set(runKey(requested), request)
      },
      requested: (requested: Run) => requests.get(runKey(requested)),
      decision: (requested: Run) => annotations.get(approvalAnnotation(requested)),
      withdraw: async (requested: Run) => void requests.delete(runKey(requested)),
    }
    let executor = new ApprovalExecutor(records, clock)
    const world: ExecutorWorld = {
      executor: () => executor as never,
      action: () => ({ message: 'look at the canary' }),
      starts: () => stored,
      isUnderWay: (requested) => requests.has(runKey(requested)),
      end: async (requested, how) =>
        void annotations.set(approvalAnnotation(requested), how === 'success' ? 'approved' : 'rejected'),
      restart: async () => {
        executor = new ApprovalExecutor(records, clock)
      },
      settle: () => clock.sleep(10_000),
      async occupyName(requested) {
        const other = approvalAnnotation({ ...requested, attempt: requested.attempt + 1 })
        annotations.set(other, 'approved')
        return async () => annotations.get(other) === 'approved'
      },
    }
    return simulation.run(() => promise.check(world, 'awaited'))
  })
})
