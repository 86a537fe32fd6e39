/** Table cells of workloads. */
import type { Instant } from '../../../runtime/index.ts'
import type { ApiObject } from '../object.ts'
import { age, humanDuration } from './durations.ts'
import { containerCells, count, isTrueCondition, labelCell, list, selectorCell, size, text } from './reading.ts'
import { type Cells, created } from './row.ts'

const containers = 'spec.template.spec.containers'

function jobStatus(job: ApiObject): string {
  if (isTrueCondition(job, 'Complete')) return 'Complete'
  if (isTrueCondition(job, 'Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) => isTrueCondition(job, type)) ?? 'Running'
}

function completions(job: ApiObject): string {
  const succeeded = count(job, 'status.succeeded')
  const wanted = text(job, 'spec.completions')
  if (wanted !== '') return `${succeeded}/${wanted}`
  const parallelism = count(job, 'spec.parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration(job: ApiObject, now: Instant): string {
  const started = text(job, 'status.startTime')
  if (started === '') return ''
  const ended = text(job, 'status.completionTime')
  return humanDuration((ended === '' ? now : Date.parse(ended)) - Date.parse(started))
}

function flag(value: boolean): string {
  return value ? 'True' : 'False'
}

export const workloadCells: Readonly<Record<string, Cells>> = {
  'apps/Deployment': (object, now) => [
    object.metadata.name,
    `${count(object, 'status.readyReplicas')}/${count(object, 'spec.replicas')}`,
    count(object, 'status.updatedReplicas'),
    count(object, 'status.availableReplicas'),
    created(object, now),
    ...containerCells(object, containers),
    selectorCell(object, 'spec.selector'),
  ],
  'apps/ReplicaSet': (object, now) => [
    object.metadata.name,
    count(object, 'spec.replicas'),
    count(object, 'status.replicas'),
    count(object, 'status.readyReplicas'),
    created(object, now),
    ...containerCells(object, containers),
    selectorCell(object, 'spec.selector'),
  ],
  '/ReplicationController': (object, now) => [
    object.metadata.name,
    count(object, 'spec.replicas'),
    count(object, 'status.replicas'),
    count(object, 'status.readyReplicas'),
    created(object, now),
    ...containerCells(object, containers),
    labelCell(object, 'spec.selector'),
  ],
  'apps/StatefulSet': (object, now) => [
    object.metadata.name,
    `${count(object, 'status.readyReplicas')}/${count(object, 'spec.replicas')}`,
    created(object, now),
    ...containerCells(object, containers),
  ],
  'apps/DaemonSet': (object, now) => [
    object.metadata.name,
    count(object, 'status.desiredNumberScheduled'),
    count(object, 'status.currentNumberScheduled'),
    count(object, 'status.numberReady'),
    count(object, 'status.updatedNumberScheduled'),
    count(object, 'status.numberAvailable'),
    labelCell(object, 'spec.template.spec.nodeSelector'),
    created(object, now),
    ...containerCells(object, containers),
    selectorCell(object, 'spec.selector'),
  ],
  'batch/Job': (object, now) => [
    object.metadata.name,
    jobStatus(object),
    completions(object),
    jobDuration(object, now),
    created(object, now),
    ...containerCells(object, containers),
    selectorCell(object, 'spec.selector'),
  ],
  'batch/CronJob': (object, now) => [
    object.metadata.name,
    text(object, 'spec.schedule'),
    text(object, 'spec.timeZone', '<none>'),
    flag(text(object, 'spec.suspend') === 'true'),
    size(object, 'status.active'),
    text(object, 'status.lastScheduleTime') === '' ? '<none>' : age(text(object, 'status.lastScheduleTime'), now),
    created(object, now),
    ...containerCells(object, 'spec.jobTemplate.spec.template.spec.containers'),
    selectorCell(object, 'spec.jobTemplate.spec.selector'),
  ],
  'apps/ControllerRevision': (object, now) => {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true)
    const [group = ''] = owner?.apiVersion.includes('/') === true ? owner.apiVersion.split('/') : []
    const kind = owner?.kind.toLowerCase() ?? ''
    const controller = owner === undefined ? '<none>' : `${group === '' ? kind : `${kind}.${group}`}/${owner.name}`
    return [object.metadata.name, controller, count(object, 'revision'), created(object, now)]
  },
  '/PodTemplate': (object) => [
    object.metadata.name,
    ...containerCells(object, 'template.spec.containers'),
    labelCell(object, 'template.metadata.labels'),
  ],
  'policy/PodDisruptionBudget': (object, now) => [
    object.metadata.name,
    text(object, 'spec.minAvailable', 'N/A'),
    text(object, 'spec.maxUnavailable', 'N/A'),
    count(object, 'status.disruptionsAllowed'),
    created(object, now),
  ],
  'autoscaling/HorizontalPodAutoscaler': (object, now) => [
    object.metadata.name,
    `${text(object, 'spec.scaleTargetRef.kind')}/${text(object, 'spec.scaleTargetRef.name')}`,
    metrics(object),
    text(object, 'spec.minReplicas', '<unset>'),
    count(object, 'spec.maxReplicas'),
    count(object, 'status.currentReplicas'),
    created(object, now),
  ],
}

function metrics(object: ApiObject): string {
  const specs = list(object, 'spec.metrics')
  const current = list(object, 'status.currentMetrics')
  const v1 = text(object, 'spec.targetCPUUtilizationPercentage')
  if (specs.length === 0 && v1 !== '') {
    const used = text(object, 'status.currentCPUUtilizationPercentage')
    return `cpu: ${used === '' ? '<unknown>' : `${used}%`}/${v1}%`
  }
  if (specs.length === 0) return '<none>'
  const shown = specs.map((spec, index) => metric(spec, current[index] ?? {}))
  const head = shown.slice(0, 2).join(', ')
  return shown.length > 2 ? `${head} + ${shown.length - 2} more...` : head
}

const sources: Readonly<Record<string, string>> = {
  Resource: 'resource',
  ContainerResource: 'containerResource',
  Pods: 'pods',
  Object: 'object',
  External: 'external',
}

function metric(spec: Parameters<typeof text>[0], status: Parameters<typeof text>[0]): string {
  const source = sources[text(spec, 'type')]
  if (source === undefined) return '<unknown type>'
  const named = source === 'resource' || source === 'containerResource'
  const average = text(spec, `${source}.target.averageValue`)
  const head = named ? `${text(spec, `${source}.name`)}: ` : ''
  if (average !== '') {
    const tail = source === 'external' || source === 'object' ? ' (avg)' : ''
    return `${head}${text(status, `${source}.current.averageValue`, '<unknown>')}/${average}${tail}`
  }
  if (named) {
    const used = text(status, `${source}.current.averageUtilization`)
    const wanted = text(spec, `${source}.target.averageUtilization`)
    return `${head}${used === '' ? '<unknown>' : `${used}%`}/${wanted === '' ? '<auto>' : `${wanted}%`}`
  }
  return `${text(status, `${source}.current.value`, '<unknown>')}/${text(spec, `${source}.target.value`, '<unknown>')}`
}
