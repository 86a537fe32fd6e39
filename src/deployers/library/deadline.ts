/**
 * The deadline of a run. The Landscaper requests an abort when the time is over; if it does not, the library ends the run itself a little
 * later.
 */
import type { Instant } from '../../runtime/index.ts'
import { readDuration, writeDuration } from '../resources/duration.ts'
import type { DeployItem } from '../resources/types.ts'
import { LandscaperError } from './errors.ts'

/** More than the Landscaper needs to notice that the time is over. */
const landscaperGraceMs = 15_000

/** How long a run of the item may take, in milliseconds; 0 for no limit. */
export function progressingTimeout(item: DeployItem, defaultMs: number): number {
  const own = item.spec.timeout === undefined ? undefined : readDuration(item.spec.timeout)
  return own ?? defaultMs
}

export function deadlineOf(item: DeployItem, defaultMs: number): Instant | undefined {
  const timeout = progressingTimeout(item, defaultMs)
  const since = Date.parse(item.status?.lastReconcileTime ?? '')
  return timeout === 0 || Number.isNaN(since) ? undefined : since + timeout + landscaperGraceMs
}

export function deadlineExceeded(item: DeployItem, defaultMs: number): LandscaperError {
  const time = writeDuration(progressingTimeout(item, defaultMs))
  return new LandscaperError(
    'Progressing',
    'ProgressingTimeout',
    `the deployer did not finish within ${time} (spec.timeout, or the default of the deployer)`,
    { codes: ['ERR_TIMEOUT'] },
  )
}
