/**
 * What a policy will do to a rollout of its workload, before there is one: the same points, groups, gate and strategies that the engine
 * uses, asked in advance.
 */
import { mustBeOpen } from '../decide/classify-rollout.ts'
import { gatePatch } from '../gate/gate.ts'
import { optInLabel } from '../labels.ts'
import type { PodState, Revision } from '../observe/world.ts'
import { groupsOf } from '../points/hook-groups.ts'
import type { CompiledHook, CompiledPolicy } from '../policy/compile.ts'
import type { RolloutType } from '../policy/types.ts'
import type { Deployment, StatefulSet, Workload } from '../policy/workload.ts'
import { rollingBudget, strategyOf } from '../strategies/index.ts'
import { resumed } from './at-rest.ts'
import { ofType, warningsOf } from './warnings.ts'

export type PlanStep =
  /** The gate's fields and what they become. */
  | { readonly kind: 'close' | 'move' | 'open'; readonly changes: Readonly<Record<string, unknown>> }
  | { readonly kind: 'hooks'; readonly point: string; readonly pods: number; readonly hooks: readonly PlannedHook[] }

export interface PlannedHook {
  readonly name: string
  readonly action: CompiledHook['action']['kind']
  readonly onFailure: CompiledHook['failurePolicy']['kind']
}

export interface Plan {
  readonly type: RolloutType
  readonly replicas: number
  /** Pods there may be more and fewer than replicas; only Deployments say so in advance. */
  readonly surge?: number
  readonly unavailable?: number
  readonly steps: readonly PlanStep[]
  readonly afterAbort: readonly PlannedHook[]
  readonly warnings: readonly string[]
}

/** Stands for the revision that does not exist yet. */
const target: Revision = {
  kind: 'ReplicaSet',
  name: '',
  uid: '',
  number: 0,
  templateHash: '',
  createdAt: 0,
  annotations: {},
}

export function planRollout(compiled: CompiledPolicy, given: Workload, type: RolloutType): Plan {
  const workload = resumed(given)
  const strategy = strategyOf(workload)
  const saved = strategy.save(workload)
  const replicas = strategy.size(workload, saved)
  // Pods of a new StatefulSet or DaemonSet are made at once.
  const isHeld = type !== 'CREATE' || workload.kind === 'Deployment'
  const hooks = isHeld ? compiled.hooks.filter(({ on }) => on.includes(type)) : []
  const gate = new Fields(workload)
  const opened = (kept: typeof saved): PlanStep => ({ kind: 'open', changes: gate.restored(flat(strategy.open(kept))) })
  const steps: PlanStep[] = [{ kind: 'close', changes: gate.set(closing(workload, type)) }]
  let isOpen = false
  let kept = saved
  for (const group of groupsOf(hooks, replicas, strategy.reach?.(workload, saved))) {
    const view = {
      workload,
      target,
      pods: podsAt(group.pods, workload, replicas),
      saved: kept,
      now: Number.POSITIVE_INFINITY,
    }
    if (group.moment.kind === 'mid') {
      const step = strategy.empty?.(view)
      if (step?.do === 'patch') {
        steps.push({ kind: 'move', changes: gate.set(flat(step.patch)) })
        kept = step.saved
      }
    } else if (!isOpen && mustBeOpen(group, replicas, { workload, saved })) {
      steps.push(opened(kept))
      isOpen = true
    } else if (!isOpen && group.pods > 0) {
      const step = strategy.advance(view, group.pods)
      steps.push({ kind: 'move', changes: step.do === 'patch' ? gate.set(flat(step.patch)) : {} })
    }
    steps.push({ kind: 'hooks', point: group.name, pods: group.pods, hooks: group.hooks.map(planned) })
  }
  if (!isOpen) steps.push(opened(kept))
  return {
    type,
    replicas,
    ...budgetOf(workload, replicas),
    steps,
    afterAbort: hooks.filter(({ moment }) => moment.kind === 'aborted').map(planned),
    warnings: [...ofType(compiled, given, type, hooks, replicas), ...warningsOf(compiled, given, replicas)],
  }
}

/**
 * As many new pods as there are when a point is reached: what a strategy says then is what holds the rollout there. Those of a StatefulSet
 * have the highest ordinals.
 */
function podsAt(count: number, { spec }: Workload, replicas: number): readonly PodState[] {
  const last = ((spec as StatefulSet['spec']).ordinals?.start ?? 0) + replicas - 1
  return Array.from({ length: count }, (_, index) => ({
    name: String(last - index),
    uid: String(index),
    revision: target.uid,
    readySince: 0,
    isEnding: false,
    isFailed: false,
  }))
}

/** The fields the gate has touched so far: only what changes is worth a word. */
class Fields {
  readonly #written: Readonly<Record<string, unknown>>
  readonly #touched = new Map<string, unknown>()

  constructor(workload: Workload) {
    this.#written = flat(workload)
  }

  set(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const isNew = ([path, value]: [string, unknown]) => (this.#touched.get(path) ?? this.#written[path]) !== value
    const changed = Object.entries(fields).filter(isNew)
    for (const [path, value] of changed) this.#touched.set(path, value)
    return Object.fromEntries(changed)
  }

  /** What was never touched needs no restoring. */
  restored(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(Object.entries(fields).filter(([path]) => this.#touched.has(path)))
  }
}

function planned({ name, action, failurePolicy }: CompiledHook): PlannedHook {
  return { name, action: action.kind, onFailure: failurePolicy.kind }
}

/** What the gate makes of a template that differs in one label, or is new. */
function closing(workload: Workload, type: RolloutType): Readonly<Record<string, unknown>> {
  const labels = { ...workload.metadata.labels, [optInLabel]: 'planned' }
  const old = { ...workload, metadata: { ...workload.metadata, labels } } as Workload
  const template = { ...old.spec.template, metadata: { labels: { planned: 'true' } } }
  const object = { ...old, spec: { ...old.spec, template } } as Workload
  const fields = gatePatch({ object, old: type === 'CREATE' ? undefined : old, byEngine: false }).filter(({ path }) =>
    path.startsWith('/spec/'),
  )
  return Object.fromEntries(fields.flatMap(({ path, value }) => entries(value, path.slice(1).split('/'))))
}

function budgetOf(workload: Workload, replicas: number): Pick<Plan, 'surge' | 'unavailable'> {
  if (workload.kind !== 'Deployment') return {}
  const { type, rollingUpdate = {} } = (workload as Deployment).spec.strategy ?? {}
  if (type === 'Recreate') return { surge: 0, unavailable: replicas }
  const { surge, missing } = rollingBudget(rollingUpdate, replicas)
  return { surge, unavailable: missing }
}

/** The fields below `spec` that a patch sets, by their paths. */
function flat(patch: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entries((patch as { spec?: object }).spec ?? {}, ['spec']))
}

function entries(value: unknown, path: readonly string[]): [string, unknown][] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [[path.join('.'), value]]
  return Object.entries(value).flatMap(([key, inner]) => entries(inner, [...path, key]))
}
