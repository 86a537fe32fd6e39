/** Defaults of the kinds that run pods: apps and batch. */
import type { JsonObject } from '../../../runtime/index.ts'
import { changed, type DefaultRule, fill, filled, isEmptyMap, lacks, listAt, objectAt } from './fill.ts'

/** Defaults of a RollingUpdate strategy; other types have no parameters. */
function rollingUpdate(field: string, parameters: JsonObject): DefaultRule {
  return (spec) =>
    changed(spec, field, (given) => {
      const strategy = filled(given, { type: 'RollingUpdate' })
      if (strategy['type'] !== 'RollingUpdate') return strategy
      return changed(strategy, 'rollingUpdate', fill(parameters))
    })
}

const deploymentStrategy = rollingUpdate('strategy', { maxUnavailable: '25%', maxSurge: '25%' })
const daemonSetStrategy = rollingUpdate('updateStrategy', { maxUnavailable: 1, maxSurge: 0 })

/** The API server sets no parameters when a StatefulSet names its strategy type without them. */
const statefulSetStrategy: DefaultRule = (spec) =>
  changed(spec, 'updateStrategy', (given) => {
    const strategy = lacks(given['type']) ? filled(given, { type: 'RollingUpdate', rollingUpdate: {} }) : given
    if (strategy['type'] !== 'RollingUpdate' || strategy['rollingUpdate'] === undefined) return strategy
    return changed(strategy, 'rollingUpdate', fill({ partition: 0 }))
  })

function withClaimKinds(spec: JsonObject): JsonObject {
  const claims = listAt(spec, 'volumeClaimTemplates')
  const named = claims.map((claim) => filled(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }))
  return named.some((claim, index) => claim !== claims[index]) ? { ...spec, volumeClaimTemplates: named } : spec
}

const statefulSet: DefaultRule = (value) =>
  changed(value, 'spec', (given) => {
    const spec = filled(statefulSetStrategy(given), {
      podManagementPolicy: 'OrderedReady',
      replicas: 1,
      revisionHistoryLimit: 10,
    })
    return changed(
      withClaimKinds(spec),
      'persistentVolumeClaimRetentionPolicy',
      fill({ whenDeleted: 'Retain', whenScaled: 'Retain' }),
    )
  })

const job: DefaultRule = (value) => {
  const defaulted = changed(value, 'spec', (given) => {
    const isSingle = given['completions'] === undefined && given['parallelism'] === undefined
    return filled(given, {
      ...(isSingle ? { completions: 1 } : {}),
      parallelism: 1,
      backoffLimit: given['backoffLimitPerIndex'] === undefined ? 6 : 2_147_483_647,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: given['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
      manualSelector: false,
    })
  })
  const labels = objectAt(objectAt(objectAt(value, 'spec'), 'template'), 'metadata')['labels']
  if (isEmptyMap(labels)) return defaulted
  return changed(defaulted, 'metadata', (metadata) =>
    isEmptyMap(metadata['labels']) ? { ...metadata, labels: labels ?? {} } : metadata,
  )
}

export const workloadDefaults: Readonly<Record<string, DefaultRule>> = {
  'apps.v1.Deployment': (value) =>
    changed(value, 'spec', (spec) =>
      filled(deploymentStrategy(spec), { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
    ),
  'apps.v1.DaemonSet': (value) =>
    changed(
      changed(value, 'spec', (spec) => filled(daemonSetStrategy(spec), { revisionHistoryLimit: 10 })),
      'metadata',
      // `templateGeneration` was a field of the old API and is an annotation since; the API server increases it.
      (metadata) => changed(metadata, 'annotations', fill({ 'deprecated.daemonset.template.generation': '0' })),
    ),
  'apps.v1.StatefulSet': statefulSet,
  'apps.v1.ReplicaSet': (value) => changed(value, 'spec', fill({ replicas: 1 })),
  'batch.v1.Job': job,
  'batch.v1.CronJob': (value) =>
    changed(
      value,
      'spec',
      fill({ concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
    ),
  'batch.v1.PodFailurePolicyOnPodConditionsPattern': fill({ status: 'True' }),
}
