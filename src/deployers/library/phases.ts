/** What the phases of an item mean. Newer landscapers have more of them; those count as what they stand for. */
import type { DeployItem } from '../resources/types.ts'
import { annotations } from '../resources/words.ts'

const final: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'DeleteFailed'])
const atWork: ReadonlySet<string> = new Set(['Init', 'Progressing', 'Deleting', 'InitDelete', 'Completing'])

export function isFinal(phase: string | undefined): boolean {
  return phase !== undefined && final.has(phase)
}

/** The default answer to whether an item needs its deployer; no phase at all is a no. */
export function isAtWork(phase: string | undefined): boolean {
  return phase !== undefined && atWork.has(phase)
}

export function operationOf({ metadata }: DeployItem): string | undefined {
  return metadata.annotations?.[annotations.operation]
}

export function isMarked({ metadata }: DeployItem, annotation: string): boolean {
  return metadata.annotations?.[annotation] === 'true'
}
