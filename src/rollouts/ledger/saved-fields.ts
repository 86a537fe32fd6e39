/** The gate's fields as the owner of a workload wants them, wherever they are to be found at the moment. */
import { holdLabel } from '../labels.ts'
import type { RolloutPolicy } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'

export function savedOf({ status }: RolloutPolicy, workload: Workload): Readonly<Record<string, unknown>> {
  // Between two points the workload shows what the engine made of it, also after an abort; the ledger has what was there before.
  const hold = workload.metadata.labels?.[holdLabel]
  const kept = hold === 'step' || hold === 'mid' ? status?.rollout?.saved : undefined
  const strategy = strategyOf(workload)
  return strategy.wanted(workload, kept ?? strategy.save(workload))
}
