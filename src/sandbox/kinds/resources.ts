/** Resource types of the sandbox's controllers that `kube` does not define. */
import type { ResourceType } from '../../kube/object.ts'

function type(group: string, version: string, resource: string, kind: string): ResourceType {
  return { group, version, resource, kind, namespaced: true }
}

export const sandboxResources = {
  persistentVolumeClaims: type('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  endpointSlices: type('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice'),
  podDisruptionBudgets: type('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  cronJobs: type('batch', 'v1', 'cronjobs', 'CronJob'),
} as const
