/**
 * When an object counts as ready that nobody wrote a check for: the rules of kstatus, which everything else in the product waits by too,
 * with the exceptions the deployers' contract makes.
 */
import type { KubeObject } from '../../kube/object.ts'
import { type ObjectProgress, progressOf } from '../../kube/progress.ts'

interface Counted extends KubeObject {
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

const ready: ObjectProgress = { state: 'done', message: 'as wanted' }

/** A Job that runs is what was asked for; whether it succeeds is for a check of its own. */
function jobReadiness(job: Counted, progress: ObjectProgress): ObjectProgress {
  const goesOn = progress.state === 'working' && (job.status?.startTime !== undefined || job.spec?.suspend === true)
  return goesOn ? ready : progress
}

function controllerReadiness({ spec, status, metadata }: Counted): ObjectProgress {
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
