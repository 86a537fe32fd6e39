/** The cells of `kubectl get pods`: ready containers, restarts and status. */
import { type Instant, isJsonObject, type Json, type JsonObject } from '../../../runtime/index.ts'
import { type ApiObject, at } from '../object.ts'
import { age } from './durations.ts'
import { count, isTrueCondition, list, text } from './reading.ts'

interface Summary {
  ready: number
  restarts: number
  /** Empty when no container has terminated. */
  lastRestart: string
  reason: string
}

export function podCells(pod: ApiObject, now: Instant): readonly Json[] {
  const sidecars = list(pod, 'spec.initContainers').filter(isSidecar)
  const { ready, restarts, lastRestart, reason } = summaryOf(pod)
  const total = list(pod, 'spec.containers').length + sidecars.length
  return [
    pod.metadata.name,
    `${ready}/${total}`,
    reason,
    restarts > 0 && lastRestart !== '' ? `${restarts} (${age(lastRestart, now)} ago)` : String(restarts),
    age(pod.metadata.creationTimestamp, now),
    text(list(pod, 'status.podIPs')[0] ?? {}, 'ip', '<none>'),
    text(pod, 'spec.nodeName', '<none>'),
    text(pod, 'status.nominatedNodeName', '<none>'),
    readinessGates(pod),
  ]
}

function isSidecar(container: JsonObject): boolean {
  return container['restartPolicy'] === 'Always'
}

function summaryOf(pod: ApiObject): Summary {
  const gated = list(pod, 'status.conditions').some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  )
  const reason = gated ? 'SchedulingGated' : text(pod, 'status.reason') || text(pod, 'status.phase')
  const init = initSummary(pod, reason)
  const isPending = init.isInitializing && !isTrueCondition(pod, 'Initialized')
  const summary = isPending ? init.whole : containerSummary(pod, init.sidecars)
  return { ...summary, reason: endingReason(pod, summary.reason) }
}

function endingReason(pod: ApiObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason
  if (at(pod, 'status', 'reason') === 'NodeLost') return 'Unknown'
  const phase = text(pod, 'status.phase')
  return phase === 'Failed' || phase === 'Succeeded' ? reason : 'Terminating'
}

function initSummary(pod: ApiObject, reason: string): { whole: Summary; sidecars: Summary; isInitializing: boolean } {
  const whole: Summary = { ready: 0, restarts: 0, lastRestart: '', reason }
  const sidecars: Summary = { ...whole }
  const specs = list(pod, 'spec.initContainers')
  for (const [index, status] of list(pod, 'status.initContainerStatuses').entries()) {
    const sidecar = specs.some((spec) => spec['name'] === status['name'] && isSidecar(spec))
    addRestarts(whole, status)
    if (sidecar) addRestarts(sidecars, status)
    const terminated = at(status, 'state', 'terminated')
    if (isJsonObject(terminated) && count(terminated, 'exitCode') === 0) continue
    if (sidecar && status['started'] === true) {
      if (status['ready'] === true) sidecars.ready++
      continue
    }
    whole.ready = sidecars.ready
    whole.reason = initReason(status, `Init:${index}/${specs.length}`)
    return { whole, sidecars: { ...sidecars, reason: whole.reason }, isInitializing: true }
  }
  return { whole, sidecars, isInitializing: false }
}

function initReason(status: JsonObject, otherwise: string): string {
  const terminated = at(status, 'state', 'terminated')
  if (isJsonObject(terminated)) return `Init:${endedReason(terminated)}`
  const waiting = text(status, 'state.waiting.reason')
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : otherwise
}

function endedReason(terminated: JsonObject): string {
  const reason = text(terminated, 'reason')
  if (reason !== '') return reason
  const signal = count(terminated, 'signal')
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${count(terminated, 'exitCode')}`
}

function addRestarts(summary: Summary, status: JsonObject): void {
  summary.restarts += count(status, 'restartCount')
  const finished = text(status, 'lastState.terminated.finishedAt')
  if (finished > summary.lastRestart) summary.lastRestart = finished
}

/** Containers are read from last to first, so that the state of the first one is shown. */
function containerSummary(pod: ApiObject, start: Summary): Summary {
  const summary = { ...start }
  let isRunning = false
  let failure = ''
  for (const status of list(pod, 'status.containerStatuses').toReversed()) {
    addRestarts(summary, status)
    const terminated = at(status, 'state', 'terminated')
    const waiting = text(status, 'state.waiting.reason')
    if (waiting !== '') summary.reason = waiting
    else if (isJsonObject(terminated)) {
      summary.reason = endedReason(terminated)
      if (count(terminated, 'exitCode') !== 0) failure = summary.reason
    } else if (status['ready'] === true && isJsonObject(at(status, 'state', 'running'))) {
      isRunning = true
      summary.ready++
    }
  }
  if (summary.reason !== 'Completed') return summary
  if (isRunning && isTrueCondition(pod, 'Ready')) summary.reason = 'Running'
  else if (failure !== '') summary.reason = failure
  else if (isRunning) summary.reason = 'NotReady'
  return summary
}

function readinessGates(pod: ApiObject): string {
  const gates = list(pod, 'spec.readinessGates')
  if (gates.length === 0) return '<none>'
  const met = gates.filter((gate) => isTrueCondition(pod, text(gate, 'conditionType')))
  return `${met.length}/${gates.length}`
}
