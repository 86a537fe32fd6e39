/** What a policy will do to a rollout of its workload, before there is one: the engine's own decisions about an imagined rollout. */
import { applyJsonPatch, type Operation } from '../../patch/index.ts'
import type { Json } from '../../runtime/index.ts'
import { gatePatch, type PatchOperation } from '../gate/gate.ts'
import { optInLabel } from '../labels.ts'
import { groupsOf, type HookGroup } from '../points/hook-groups.ts'
import type { CompiledHook, CompiledPolicy } from '../policy/compile.ts'
import type { RolloutType } from '../policy/types.ts'
import type { Deployment, StatefulSet, Workload } from '../policy/workload.ts'
import { rollingBudget, strategyOf } from '../strategies/index.ts'
import { resumed } from './at-rest.ts'
import { imagineRollout } from './imagined.ts'
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

export function planRollout(compiled: CompiledPolicy, given: Workload, type: RolloutType): Plan {
  const workload = resumed(given)
  const strategy = strategyOf(workload)
  const saved = strategy.save(workload)
  const replicas = strategy.size(workload, saved)
  // Pods of a new StatefulSet or DaemonSet are created at once.
  const isHeld = type !== 'CREATE' || workload.kind === 'Deployment'
  const hooks = isHeld ? compiled.hooks.filter(({ rolloutTypes }) => rolloutTypes.includes(type)) : []
  const groups = groupsOf(hooks, replicas, strategy.reach?.(workload, saved))
  return {
    type,
    replicas,
    ...budgetOf(workload, replicas),
    steps: stepsOf({ ...compiled, hooks }, workload, type, groups),
    afterAbort: hooks.filter(({ moment }) => moment.kind === 'aborted').map(planned),
    warnings: [...ofType(compiled, given, { type, hooks, replicas }), ...warningsOf(compiled, given, replicas)],
  }
}

/** The decisions of an imagined rollout, as far as people want to know them. */
function stepsOf(
  compiled: CompiledPolicy,
  workload: Workload,
  type: RolloutType,
  groups: readonly HookGroup[],
): readonly PlanStep[] {
  const gate = new Fields(workload)
  const closing = closingPatch(workload, type)
  const steps: PlanStep[] = [{ kind: 'close', changes: gate.set(fieldsOf(closing)) }]
  let move: Readonly<Record<string, unknown>> | undefined
  let isOpen = false
  const started = new Set<string>()
  for (const { situation, proposal, ledger } of imagineRollout(compiled, closed(workload, closing), type)) {
    const fields = proposal.gate?.kind === 'workload' ? flat(proposal.gate.patch) : undefined
    const hooks = ledger.hooks.filter(({ name, state }) => state === 'Running' && !started.has(name))
    const group = groups.find((one) => one.hooks.some(({ name }) => hooks.some((record) => record.name === name)))
    if (group !== undefined) {
      // Every point before the gate opens is reached by a step, and be it one without a change.
      const isReached = move !== undefined || (!isOpen && group.pods > 0)
      if (isReached) steps.push({ kind: 'move', changes: gate.set(move ?? {}) })
      move = undefined
      for (const { name } of hooks) started.add(name)
      steps.push({ kind: 'hooks', point: group.name, pods: group.pods, hooks: group.hooks.map(planned) })
    }
    if (situation.name === 'OpeningGate') {
      isOpen = true
      steps.push({ kind: 'open', changes: gate.restored(fields ?? {}) })
    } else if (fields !== undefined) move = { ...move, ...fields }
  }
  return steps
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

/** What the gate changes in a workload whose template differs in one label, or is new. */
function closingPatch(workload: Workload, type: RolloutType): readonly PatchOperation[] {
  const labels = { ...workload.metadata.labels, [optInLabel]: 'planned' }
  const old = { ...workload, metadata: { ...workload.metadata, labels } } as Workload
  const template = { ...old.spec.template, metadata: { labels: { planned: 'true' } } }
  const object = { ...old, spec: { ...old.spec, template } } as Workload
  return gatePatch({ object, old: type === 'CREATE' ? undefined : old, byEngine: false })
}

function fieldsOf(operations: readonly PatchOperation[]): Readonly<Record<string, unknown>> {
  const fields = operations.filter(({ path }) => path.startsWith('/spec/'))
  return Object.fromEntries(fields.flatMap(({ path, value }) => entries(value, path.slice(1).split('/'))))
}

function closed(workload: Workload, operations: readonly PatchOperation[]): Workload {
  const { metadata, spec } = workload
  const whole = { ...workload, metadata: { ...metadata, labels: metadata.labels ?? {} }, spec: { ...spec } }
  if (workload.kind !== 'Deployment')
    Object.assign(whole.spec, { updateStrategy: (spec as StatefulSet['spec']).updateStrategy ?? {} })
  return applyJsonPatch(whole as unknown as Json, operations as readonly Operation[]) as unknown as Workload
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
