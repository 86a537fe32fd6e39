/**
 * How far a deploy item or an execution has come. Both tell it by their phase and not by conditions, so that the common rules would call
 * one done that nobody has even looked at.
 */
import type { KubeObject } from '../../kube/object.ts'
import type { ObjectProgress } from '../../kube/progress.ts'
import { apiVersion, type DeployItem, type Execution, landscaperResources } from './types.ts'

const kinds: ReadonlySet<string> = new Set([landscaperResources.deployItems.kind, landscaperResources.executions.kind])

/** Undefined for objects of any other kind. */
export function landscaperProgress(object: KubeObject): ObjectProgress | undefined {
  if (object.apiVersion !== apiVersion || !kinds.has(object.kind)) return undefined
  const { metadata, status = {} } = object as DeployItem | Execution
  if (metadata.deletionTimestamp !== undefined) return { state: 'working', message: 'being deleted' }
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return { state: 'working', message: 'the new generation is not observed yet' }
  const { phase, lastError } = status
  if (phase === 'Succeeded') return { state: 'done', message: 'as wanted' }
  const message = lastError?.message ?? `phase ${phase ?? 'unknown'}`
  return { state: phase === 'Failed' ? 'failed' : 'working', message }
}
