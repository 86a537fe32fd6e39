/** What an execution thinks of one of its items. */
import { isFinal, operationOf } from '../library/phases.ts'
import type { DeployItem, Execution } from '../resources/types.ts'
import { operations } from '../resources/words.ts'
import { pickupReason } from '../timeouts/decide.ts'
import { nameOf } from './order.ts'

export type ItemState = 'outdated' | 'running' | 'succeeded' | 'failed'

/** `name` is that of the template; without an item the state is outdated. */
export function stateOf(execution: Execution, name: string, item: DeployItem | undefined): ItemState {
  if (item === undefined || !isInLine(execution, name, item)) return 'outdated'
  const { status, metadata } = item
  // Nobody has looked at it, so that its observed generation says nothing.
  if (status?.phase === 'Failed' && status.lastError?.reason === pickupReason) return 'failed'
  const isObserved = status?.observedGeneration === metadata.generation
  if (!isFinal(status?.phase) || !isObserved || isTriggered(item)) return 'running'
  return status?.phase === 'Succeeded' ? 'succeeded' : 'failed'
}

/** The item is what this generation of the execution made it. */
function isInLine({ status, metadata }: Execution, name: string, item: DeployItem): boolean {
  const ref = status?.deployItemRefs?.find((entry) => entry.name === name)?.ref
  const applied = status?.execGenerations?.find((entry) => entry.name === name)?.observedGeneration
  return (
    ref?.name === item.metadata.name &&
    ref.observedGeneration === item.metadata.generation &&
    applied === metadata.generation
  )
}

/** Somebody asked for a run that no deployer has picked up yet. */
export function isTriggered(item: DeployItem): boolean {
  const operation = operationOf(item)
  return operation === operations.reconcile || operation === operations.forceReconcile
}

export function itemsByName(items: readonly DeployItem[]): ReadonlyMap<string, DeployItem> {
  return new Map(items.map((item) => [nameOf(item), item]))
}
