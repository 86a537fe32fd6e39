/**
 * Progress of a deploy item or execution. Both show it in their phase and not in conditions, so the common rules would report an item as
 * done before any deployer has seen it.
 */
import type { KubeObject, ObjectProgress } from '../../kube/index.ts'
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
  if (phase === 'Succeeded') return { state: 'done', message: 'succeeded' }
  const message = lastError?.message ?? `phase ${phase ?? 'unknown'}`
  return { state: phase === 'Failed' ? 'failed' : 'working', message }
}
