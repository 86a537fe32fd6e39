/**
 * When an object without a custom check counts as ready: the rules of kstatus, which the whole product uses, with the exceptions of the
 * Landscaper contract.
 */
import { type KubeObject, type ObjectProgress, progressOf } from '../../kube/index.ts'

interface ObjectWithReplicas extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly suspend?: boolean
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly maxUnavailable?: number | string }
    }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly readyReplicas?: number
    readonly desiredNumberScheduled?: number
    readonly updatedNumberScheduled?: number
    readonly numberAvailable?: number
    readonly startTime?: string
  }
}

const ready: ObjectProgress = { state: 'done', message: 'ready' }

/** A started Job counts as ready; a custom check can require that it succeeds. */
function jobReadiness(job: ObjectWithReplicas, progress: ObjectProgress): ObjectProgress {
  const isStarted = progress.state === 'working' && (job.status?.startTime !== undefined || job.spec?.suspend === true)
  return isStarted ? ready : progress
}

/**
 * As many pods may be unavailable as the rolling update allows, because nodes that are down would block the item. One pod has to be
 * available in any case: the default of `maxUnavailable` is 1, which would make every DaemonSet on one node ready at once.
 */
function daemonSetReadiness(set: ObjectWithReplicas, progress: ObjectProgress): ObjectProgress {
  const { spec, status = {}, metadata } = set
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  if (progress.state !== 'working' || metadata.deletionTimestamp !== undefined || !isObserved) return progress
  const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status
  const isOnDelete = spec?.updateStrategy?.type === 'OnDelete'
  if (!isOnDelete && updatedNumberScheduled < wanted) return progress
  const allowed = isOnDelete ? 0 : portionOf(spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted)
  const least = Math.min(wanted, Math.max(1, wanted - allowed))
  return numberAvailable >= least
    ? ready
    : { state: 'working', message: `numberAvailable: ${numberAvailable} of ${least}` }
}

/** A number, or percent rounded up as in the controller. */
function portionOf(limit: number | string, whole: number): number {
  const percent = typeof limit === 'string' ? /^(\d+)%$/.exec(limit)?.[1] : undefined
  if (percent !== undefined) return Math.ceil((Number(percent) * whole) / 100)
  return typeof limit === 'number' ? limit : 0
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
  if (object.kind === 'DaemonSet') return daemonSetReadiness(object, progress)
  return object.kind === 'Job' ? jobReadiness(object, progress) : progress
}
