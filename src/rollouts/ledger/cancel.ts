/** A rollout that is superseded, aborted or released leaves no hook running. */
import type { Run } from '../../hooks/index.ts'
import type { Instant } from '../../runtime/index.ts'
import type { HookRecord, Ledger } from '../policy/types.ts'
import type { Workload } from '../policy/workload.ts'
import { runOf, timeText } from './ledger.ts'

interface CancelHook {
  readonly kind: 'cancel-hook'
  readonly run: Run
}

export function cancelHooks(workload: Workload | undefined, ledger: Ledger): readonly CancelHook[] {
  if (workload === undefined) return []
  return ledger.hooks
    .filter(({ state }) => state === 'Running')
    .map((record) => ({ kind: 'cancel-hook', run: runOf(workload, ledger, record) }))
}

export function cancelled(record: HookRecord, now: Instant): HookRecord {
  return { ...record, state: 'Cancelled', endedAt: timeText(now) }
}
