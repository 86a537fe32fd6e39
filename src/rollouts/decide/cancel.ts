/** A rollover, an abort or an abandoned rollout leaves nothing running. */

import { runOf } from '../ledger/ledger.ts'
import type { World } from '../observe/world.ts'
import type { Ledger } from '../policy/types.ts'
import type { Write } from './decision.ts'

export function cancelHooks({ workload }: World, ledger: Ledger): readonly Write[] {
  if (workload === undefined) return []
  return ledger.hooks
    .filter(({ state }) => state === 'Running')
    .map((record): Write => ({ kind: 'cancel-hook', run: runOf(workload, ledger, record) }))
}
