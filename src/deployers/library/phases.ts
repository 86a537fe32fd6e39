/** The meaning of an item's phase. Newer Landscapers have more phases; each counts as the one it replaces. */

import { annotations, finalizer } from '../resources/annotations.ts'
import type { DeployItem } from '../resources/types.ts'

const final: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'DeleteFailed'])
const atWork: ReadonlySet<string> = new Set(['Init', 'Progressing', 'Deleting', 'InitDelete', 'Completing'])

export function isFinal(phase: string | undefined): boolean {
  return phase !== undefined && final.has(phase)
}

/** Whether the item needs its deployer by default; without a phase it does not. */
export function isAtWork(phase: string | undefined): boolean {
  return phase !== undefined && atWork.has(phase)
}

export function operationOf({ metadata }: DeployItem): string | undefined {
  return metadata.annotations?.[annotations.operation]
}

export function isMarked({ metadata }: DeployItem, annotation: string): boolean {
  return metadata.annotations?.[annotation] === 'true'
}

/** The item is to be deleted without its deployer, whatever phase it is in and whatever is missing. */
export function isReleased(item: DeployItem): boolean {
  const { deletionTimestamp, finalizers = [] } = item.metadata
  return (
    deletionTimestamp !== undefined &&
    isMarked(item, annotations.deleteWithoutUninstall) &&
    finalizers.includes(finalizer)
  )
}
