/** The gate's fields as the owner of a workload wants them, wherever they are recorded at the moment. */
import { holdLabel } from '../labels.ts'
import type { Ledger } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { strategyOf } from '../strategies/index.ts'

export function savedOf(ledger: Ledger | undefined, workload: Workload): Readonly<Record<string, unknown>> {
  // Between two points the workload has the engine's values, after an abort as well; the ledger has the owner's.
  const hold = workload.metadata.labels?.[holdLabel]
  const kept = hold === 'step' || hold === 'mid' ? ledger?.saved : undefined
  const strategy = strategyOf(workload)
  return strategy.wanted(workload, kept ?? strategy.save(workload))
}
