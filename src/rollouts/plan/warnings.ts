/** Warnings about policies that are valid but probably not intended. */
import { append } from '../../runtime/index.ts'
import { rollsByHand, surges } from '../gate/gate.ts'
import { holdLabel, optInLabel } from '../labels.ts'
import { missingIn } from '../objects/missing-container.ts'
import { isBeyond, podsAt, showPoint } from '../points/point.ts'
import type { CompiledHook, CompiledPolicy } from '../policy/compile.ts'
import type { ExecNewPod, RolloutType } from '../policy/types.ts'
import type { DaemonSet, Workload } from '../policy/workload.ts'
import { isRecreated, strategyOf } from '../strategies/index.ts'
import { isPaused } from './at-rest.ts'
import { ofCopiedImages } from './copied-images.ts'

export function warningsOf(compiled: CompiledPolicy, workload: Workload, replicas: number): readonly string[] {
  return [
    ...ofWorkload(workload),
    ...compiled.hooks.flatMap((hook) => ofHook(hook, workload, replicas)),
    ...(isRecreating(workload) ? compiled.hooks.flatMap((hook) => ofMid(hook, compiled)) : []),
  ]
}

interface Planned {
  readonly type: RolloutType
  readonly hooks: readonly CompiledHook[]
  readonly replicas: number
}

/** Warnings about types of rollout in which fewer hooks run than expected; `hooks` are those that run. */
export function ofType(
  compiled: CompiledPolicy,
  { kind, metadata }: Workload,
  { type, hooks, replicas }: Planned,
): readonly string[] {
  if (compiled.hooks.length === 0) return ['the policy has no hooks']
  if (type === 'CREATE' && kind !== 'Deployment') return [`the first pods of a ${kind} cannot be held: no hook runs`]
  if (hooks.length === 0) return [`no hook is for a rollout of type ${type}`]
  if (type !== 'CREATE') return []
  const between = hooks.flatMap((hook) => ofBetween(hook, replicas))
  if (metadata.labels?.[optInLabel] !== undefined) return between
  return [
    `${kind} ${metadata.name} is created without its hooks unless it has the label ${optInLabel}: POLICY`,
    ...between,
  ]
}

/** Points between are held by the pods that stay: the native controller makes all that are missing at once. */
function ofBetween({ name, moment }: CompiledHook, replicas: number): string[] {
  const pods = moment.kind === 'progress' ? podsAt(moment.point, replicas) : 0
  if (pods === 0 || pods >= replicas) return []
  return [`hook ${name}: the first pods come all at once; it runs when ${pods} of them are available`]
}

function ofWorkload(workload: Workload): string[] {
  const { kind, metadata } = workload
  if (kind === 'DaemonSet' && surges(workload))
    return [`${kind} ${metadata.name} has a maxSurge and cannot be held: no hook runs`]
  // Held, the strategy is that of the gate: a DaemonSet rests with it where the gate is one at rest.
  if (rollsByHand(workload) && metadata.labels?.[holdLabel] === undefined)
    return [`${kind} ${metadata.name} has the update strategy OnDelete, which never rolls by itself: no hook runs`]
  if (isPaused(workload)) return [`${kind} ${metadata.name} is paused: hooks begin when it is resumed`]
  if (!isSized(workload)) return [`how many nodes ${kind} ${metadata.name} runs on is not known here: say --replicas`]
  return []
}

/** Only a cluster knows on how many nodes a DaemonSet runs. */
function isSized({ kind, status }: Workload): boolean {
  return kind !== 'DaemonSet' || (status as DaemonSet['status'])?.desiredNumberScheduled !== undefined
}

function isRecreating(workload: Workload): boolean {
  return isRecreated(workload, strategyOf(workload).save(workload))
}

/** Where pods are recreated, an abort in the middle finds none, and leaves it so. */
function ofMid({ name, moment, failurePolicy }: CompiledHook, { onAbort }: CompiledPolicy): string[] {
  const mayAbort =
    failurePolicy.kind === 'abort' || (failurePolicy.kind === 'retry' && failurePolicy.limit !== undefined)
  if (moment.kind !== 'mid' || !mayAbort || onAbort === 'Undo') return []
  return [
    `hook ${name}: when it fails, no pod runs until the rollout is retried, undone or superseded; onAbort: Undo goes back by itself`,
  ]
}

/** As OpenShift did, a volume that is not there is left out of the hook's pod. */
function ofVolumes(hook: string, wanted: readonly string[] = [], { spec }: Workload['spec']['template']): string[] {
  const known = new Set((spec.volumes ?? []).map(({ name }) => name))
  return wanted.filter((name) => !known.has(name)).map((name) => `hook ${hook}: the template has no volume ${name}`)
}

/** Native controllers and Services take pods by their labels. */
function ofLabels(hook: string, { labels = {} }: ExecNewPod, { kind, metadata, spec }: Workload): string[] {
  const selected = Object.entries(spec.selector.matchLabels ?? {})
  if (selected.length === 0 || !selected.every(([key, value]) => labels[key] === value)) return []
  return [
    `hook ${hook}: its pod has the labels that ${kind} ${metadata.name} selects its own pods by; use other labels`,
  ]
}

function ofHook({ name, moment, action, rolloutTypes }: CompiledHook, workload: Workload, replicas: number): string[] {
  const { kind, spec } = workload
  const warnings: string[] = []
  if (moment.kind === 'progress' && isSized(workload) && isBeyond(moment.point, replicas))
    warnings.push(`hook ${name}: ${showPoint(moment.point)} is more than the ${replicas} pods; it runs at the end`)
  if (rolloutTypes.length === 0) warnings.push(`hook ${name} never runs: it is for no type of rollout`)
  if (rolloutTypes.length === 1 && rolloutTypes.includes('CREATE') && kind !== 'Deployment')
    warnings.push(`hook ${name} never runs: the first pods of a ${kind} cannot be held`)
  if (moment.kind === 'mid' && !isRecreating(workload))
    warnings.push(
      `hook ${name}: ${kind} ${workload.metadata.name} does not have the strategy Recreate; until this is fixed no hook runs`,
    )
  const missing = missingIn(spec.template, action)
  if (missing !== undefined)
    warnings.push(
      `hook ${name}: ${missing.field}the template has no container ${missing.container}; until this is fixed no hook runs`,
    )
  if (action.kind === 'job') append(warnings, ofCopiedImages(name, action.spec, spec.template))
  if (action.kind === 'pod')
    append(warnings, ofVolumes(name, action.pod.volumes, spec.template), ofLabels(name, action.pod, workload))
  return warnings
}
