/** The state of one item from the view of its execution. */
import { isFinal, operationOf } from '../library/phases.ts'
import { operations } from '../resources/annotations.ts'
import type { DeployItem, Execution } from '../resources/types.ts'
import { pickupReason } from '../timeouts/decide.ts'
import { nameOf } from './order.ts'

export type ItemState = 'outdated' | 'running' | 'succeeded' | 'failed'

/** `name` is that of the template; without an item the state is outdated. */
export function stateOf(execution: Execution, name: string, item: DeployItem | undefined): ItemState {
  if (item === undefined || !isUpToDate(execution, name, item)) return 'outdated'
  const { status, metadata } = item
  // No deployer picked the item up, so its observedGeneration does not count.
  if (status?.phase === 'Failed' && status.lastError?.reason === pickupReason) return 'failed'
  const isObserved = status?.observedGeneration === metadata.generation
  if (!isFinal(status?.phase) || !isObserved || isTriggered(item)) return 'running'
  return status?.phase === 'Succeeded' ? 'succeeded' : 'failed'
}

/** The item has the spec that this generation of the execution gave it. */
function isUpToDate({ status, metadata }: Execution, name: string, item: DeployItem): boolean {
  const ref = status?.deployItemRefs?.find((entry) => entry.name === name)?.ref
  const applied = status?.execGenerations?.find((entry) => entry.name === name)?.observedGeneration
  return (
    ref?.name === item.metadata.name &&
    ref.observedGeneration === item.metadata.generation &&
    applied === metadata.generation
  )
}

/** A run was requested and no deployer has picked it up yet. */
export function isTriggered(item: DeployItem): boolean {
  const operation = operationOf(item)
  return operation === operations.reconcile || operation === operations.forceReconcile
}

export function itemsByName(items: readonly DeployItem[]): ReadonlyMap<string, DeployItem> {
  return new Map(items.map((item) => [nameOf(item), item]))
}
