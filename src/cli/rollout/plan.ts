/** `carabiner rollout plan`: what a policy will do to a rollout, from files without a cluster or from what is there. */
import { Command } from 'commander'
import {
  type Plan,
  type PlannedHook,
  type PlanStep,
  planRollout,
  type RolloutPolicy,
  type RolloutType,
  type Workload,
} from '../../rollouts/index.ts'
import { CarabinerError } from '../../runtime/index.ts'
import type { CliContext } from '../context.ts'
import { type PlaceOptions, placeOptions } from '../place.ts'
import type { Display } from '../terminal/display.ts'
import { serialize } from '../terminal/listing.ts'
import { printable } from '../terminal/printable.ts'
import { wrapped } from '../terminal/width.ts'
import { referenceHelp } from './policies.ts'
import { subjectsOf } from './subjects.ts'

interface PlanOptions extends PlaceOptions {
  readonly filename?: readonly string[]
  readonly replicas?: string
  readonly type: string
  readonly output?: string
}

const types: readonly RolloutType[] = ['ROLLOUT', 'ROLLBACK', 'UNDO', 'RESTART', 'CREATE']
const typeHelp = 'rollout, rollback, undo, restart or create'

export function planCommand(context: CliContext): Command {
  const plan = new Command('plan')
    .summary('Say what hooks would do')
    .description(
      'Says which hooks run when, at how many pods, and what the gate changes. With files no cluster is needed.',
    )
    .argument('[policy]', referenceHelp)
    .option('-f, --filename <path...>', 'files or folders with policies and their workloads')
    .option(
      '--replicas <number>',
      'plan for so many pods; for a DaemonSet in a file, as many nodes (default: as declared)',
    )
    .option('--type <type>', typeHelp, 'rollout')
    .option('-o, --output <format>', 'wide (with the fields that the gate changes), json or yaml')
  return placeOptions(plan).action(async (reference: string | undefined, options: PlanOptions) => {
    const format = readPlanFormat(options.output)
    const type = types.find((one) => one === options.type.toUpperCase())
    if (type === undefined) throw new CarabinerError('CRB_USAGE', `--type ${options.type}: ${typeHelp}`)
    const { subjects, refuseOthers } = await subjectsOf(context, reference, options)
    const plans = subjects.map(({ policy, workload, compiled, rivals }) => {
      const size = options.replicas
      const plan = planRollout(compiled, size === undefined ? workload : resized(workload, size), type)
      return {
        policy: `${policy.metadata.namespace ?? 'default'}/${policy.metadata.name}`,
        target: `${policy.spec.targetRef.kind} ${policy.spec.targetRef.name}`,
        ...plan,
        warnings: [...ofPolicy(policy, rivals), ...plan.warnings],
      }
    })
    context.stdout.write(
      format === 'json' || format === 'yaml'
        ? serialize(plans, format)
        : plans.map((plan) => fitting(planText(plan, format), context.stdout)).join('\n'),
    )
    refuseOthers()
  })
}

function readPlanFormat(text: string | undefined): 'text' | 'wide' | 'json' | 'yaml' {
  if (text === undefined) return 'text'
  if (text === 'wide' || text === 'json' || text === 'yaml') return text
  throw new CarabinerError('CRB_USAGE', `-o ${text}: expected wide, json or yaml`)
}

function ofPolicy({ spec: { targetRef, suspend } }: RolloutPolicy, rivals: readonly string[]): readonly string[] {
  const { kind, name } = targetRef
  return [
    ...(suspend === true ? ['the policy is suspended: rollouts pass without hooks'] : []),
    ...rivals.map((rival) => `policy ${rival} is for ${kind} ${name} too: only the older one runs its hooks`),
  ]
}

function resized(workload: Workload, text: string): Workload {
  if (!/^\d{1,6}$/.test(text)) throw new CarabinerError('CRB_USAGE', `--replicas ${text}: expected a number of pods`)
  const pods = Number(text)
  return workload.kind === 'DaemonSet'
    ? ({ ...workload, status: { ...workload.status, desiredNumberScheduled: pods } } as Workload)
    : ({ ...workload, spec: { ...workload.spec, replicas: pods } } as Workload)
}

function planText(plan: Plan & { readonly policy: string; readonly target: string }, format: 'text' | 'wide'): string {
  const { surge, unavailable, replicas } = plan
  const budget = surge === undefined ? '' : `, at most ${surge} more and ${unavailable} fewer at any time`
  const steps = plan.steps.map((step, index) => `${String(index + 1).padStart(3)}. ${stepText(step, plan, format)}\n`)
  const aborted =
    plan.afterAbort.length === 0 ? '' : `  If a hook aborts it: ${plan.afterAbort.map(hookText).join(', ')}\n`
  const warnings = plan.warnings.map((warning) => `  Warning: ${warning}\n`)
  const head = `${plan.target}, policy ${plan.policy}, ${plan.type}: ${replicas} pod${replicas === 1 ? '' : 's'}${budget}\n`
  return [head, ...steps, aborted, ...warnings].join('')
}

function stepText(step: PlanStep, { replicas, type }: Plan, format: 'text' | 'wide'): string {
  if (step.kind === 'hooks')
    return `at ${step.point}, ${step.pods} of ${replicas} new pods: ${step.hooks.map(hookText).join(', ')}`
  const changes = Object.entries(step.changes).map(([path, value]) => `${path}: ${String(value)}`)
  const list = changes.length === 0 || format === 'text' ? '' : ` (${changes.join(', ')})`
  switch (step.kind) {
    case 'close':
      return `${type === 'CREATE' ? 'it is created' : 'the template changes'}; ${changes.length === 0 ? 'nothing can hold it' : `the gate closes${list}`}`
    case 'move':
      return `it moves to the next point and no further${list}`
    case 'open':
      return `the gate opens, everything is as it was${list}`
  }
}

/** Lines that are too long go on below their text. */
function fitting(text: string, { limit = Number.POSITIVE_INFINITY }: Display): string {
  return printable(text)
    .split('\n')
    .map((line) => {
      const [front = ''] = /^(?: *\d+\. | *)/.exec(line) ?? []
      const parts = wrapped(line.slice(front.length), limit - front.length)
      return parts.map((part, index) => (index === 0 ? front : ' '.repeat(front.length)) + part).join('\n')
    })
    .join('\n')
}

function hookText({ name, action, onFailure }: PlannedHook): string {
  return `${name} (${action}, on failure ${onFailure})`
}
