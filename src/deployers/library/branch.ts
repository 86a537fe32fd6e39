/** Chooses which of the deployer's functions a run calls, in the order of the Landscaper documentation unless deletion comes first. */
import type { HookType } from '../hooks/registry.ts'
import { operations } from '../resources/annotations.ts'
import type { DeployItem } from '../resources/types.ts'
import { operationOf } from './phases.ts'

export type Branch = 'abort' | 'forceReconcile' | 'delete' | 'reconcile'

export function branchOf(item: DeployItem, { deletionFirst }: { readonly deletionFirst: boolean }): Branch {
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

/** The `lastError.operation` of errors that name none. */
export const operationNames: Readonly<Record<Branch, string>> = {
  abort: 'Abort',
  forceReconcile: 'ForceReconcile',
  delete: 'Delete',
  reconcile: 'Reconcile',
}
