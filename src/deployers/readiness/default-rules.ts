/**
 * When an object without a custom check counts as ready: the rules of kstatus, which the whole product uses, with the exceptions of the
 * Landscaper contract.
 */
import { type KubeObject, type ObjectProgress, progressOf } from '../../kube/index.ts'

interface ObjectWithReplicas extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly suspend?: boolean
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly startTime?: string
  }
}

const ready: ObjectProgress = { state: 'done', message: 'ready' }

/** A started Job counts as ready; a custom check can require that it succeeds. */
function jobReadiness(job: ObjectWithReplicas, progress: ObjectProgress): ObjectProgress {
  const isStarted = progress.state === 'working' && (job.status?.startTime !== undefined || job.spec?.suspend === true)
  return isStarted ? ready : progress
}

function controllerReadiness({ spec, status, metadata }: ObjectWithReplicas): ObjectProgress {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return { state: 'working', message: 'the new generation is not observed yet' }
  const [have, want] = [status?.readyReplicas ?? 0, spec?.replicas ?? 1]
  return have >= want ? ready : { state: 'working', message: `readyReplicas: ${have} of ${want}` }
}

export function readinessOf(object: KubeObject): ObjectProgress {
  if (object.kind === 'ReplicationController' && object.apiVersion === 'v1') return controllerReadiness(object)
  const progress = progressOf(object)
  return object.kind === 'Job' ? jobReadiness(object, progress) : progress
}
