/** Names the run that an item is in, so that whoever comes back to it knows what this run has done already. */
import type { DeployItem } from '../resources/types.ts'

/** The time alone is not enough: it has whole seconds, and a changed item may begin its next run in the same one. */
export function runIdOf({ metadata, status }: Pick<DeployItem, 'metadata' | 'status'>): string {
  return `${metadata.generation}/${status?.lastReconcileTime ?? ''}`
}
