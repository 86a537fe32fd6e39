/** Identifies the run an item is in, so that a later call knows what this run has already done. */
import type { DeployItem } from '../resources/types.ts'

/** The time alone is not unique: it has whole seconds, and a changed item may begin its next run in the same second. */
export function runIdOf({ metadata, status }: Pick<DeployItem, 'metadata' | 'status'>): string {
  return `${metadata.generation}/${status?.lastReconcileTime ?? ''}`
}
