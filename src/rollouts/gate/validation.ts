/**
 * The second look at a write, after all mutating admission: whatever happened on the way, only the engine has opened a gate. The policies say the
 * same in CEL, and a test compares the two.
 */
import { holdLabel, optInLabel } from '../labels.ts'
import type { DaemonSet, Deployment, StatefulSet, Workload } from '../policy/workload.ts'
import { gatePatch, isPassedBy, isTemplateChanged, type Review } from './gate.ts'
import { closedPartition } from './pending-edits.ts'

/** Why the write must be refused; undefined when it may pass. */
export function refusal(review: Review): string | undefined {
  if (isPassedBy(review)) return undefined
  const { object, old } = review
  const hold = object.metadata.labels?.[holdLabel]
  const held = old?.metadata.labels?.[holdLabel]
  if (old !== undefined && held !== undefined) {
    const isOvertaken = held === 'step' && isTemplateChanged(object, old)
    const wanted = isOvertaken ? 'shut' : opennessOf(old)
    return hold !== undefined && isAsShut(opennessOf(object), wanted) ? undefined : staysShut(object, old)
  }
  const isShut = hold !== undefined && isAsShut(opennessOf(object), 'shut')
  if (gatePatch(review).length > 0) return isShut ? undefined : didNotClose(object)
  if (hold !== undefined && !isTemplateChanged(object, old)) return labelIsOurs(object)
  return undefined
}

/** The message for a client whose write the gate refuses. */
export function heldWarning(object: Workload, old: Workload | undefined): string {
  return `${nameOf(object)} is held by RolloutPolicy ${policyOf(object, old)} until its hooks have passed; ${whatToDo(object, old)}`
}

function staysShut(object: Workload, old: Workload): string {
  return `${nameOf(object)} is held by RolloutPolicy ${policyOf(object, old)}, and only the operator opens it; ${whatToDo(object, old)}`
}

function didNotClose(object: Workload): string {
  return `the gate of ${nameOf(object)} did not close: something else in admission changes it back, or the gate was installed a moment ago (then try again); ${whatToDo(object, undefined)}`
}

function labelIsOurs(object: Workload): string {
  return `label ${holdLabel} of ${nameOf(object)} is set by the gate alone; leave it out`
}

function whatToDo(object: Workload, old: Workload | undefined): string {
  const { name, namespace = '' } = object.metadata
  const kind = object.kind.toLowerCase()
  return `see: carabiner rollout status -n ${namespace} ${policyOf(object, old)}; to let it go whatever its hooks say: kubectl label -n ${namespace} ${kind}/${name} carabiner.dev/release=true`
}

function nameOf({ kind, metadata }: Workload): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`
}

function policyOf(object: Workload, old: Workload | undefined): string {
  return old?.metadata.labels?.[optInLabel] ?? object.metadata.labels?.[optInLabel] ?? 'unknown'
}

/** How far a gate is open: a StatefulSet down to some ordinal. */
type Openness = 'open' | 'shut' | number

function opennessOf(object: Workload): Openness {
  if (object.kind === 'Deployment') return (object as Deployment).spec.paused === true ? 'shut' : 'open'
  if (object.kind === 'DaemonSet')
    return (object as DaemonSet).spec.updateStrategy?.type === 'OnDelete' ? 'shut' : 'open'
  return (object as StatefulSet).spec.updateStrategy?.rollingUpdate?.partition ?? 0
}

function isAsShut(openness: Openness, wanted: Openness): boolean {
  const order = (one: Openness) => (one === 'shut' ? closedPartition : one === 'open' ? 0 : one)
  return order(openness) >= order(wanted)
}
