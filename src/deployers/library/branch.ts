/** The one thing that is done with an item in a run, in the order of the documents unless deletion shall come first. */
import type { HookType } from '../hooks/registry.ts'
import type { DeployItem } from '../resources/types.ts'
import { operations } from '../resources/words.ts'
import { operationOf } from './phases.ts'

export type Branch = 'abort' | 'forceReconcile' | 'delete' | 'reconcile'

export function branchOf(item: DeployItem, deletionFirst: boolean): Branch {
  const operation = operationOf(item)
  const isDeleted = item.metadata.deletionTimestamp !== undefined
  if (deletionFirst && isDeleted) return 'delete'
  if (operation === operations.abort) return 'abort'
  if (operation === operations.forceReconcile) return 'forceReconcile'
  return isDeleted ? 'delete' : 'reconcile'
}

export const hookBefore: Readonly<Record<Branch, HookType>> = {
  abort: 'BeforeAbort',
  forceReconcile: 'BeforeForceReconcile',
  delete: 'BeforeDelete',
  reconcile: 'BeforeReconcile',
}

/** The operation that an error without one of its own is told under. */
export const operationNames: Readonly<Record<Branch, string>> = {
  abort: 'Abort',
  forceReconcile: 'ForceReconcile',
  delete: 'Delete',
  reconcile: 'Reconcile',
}
