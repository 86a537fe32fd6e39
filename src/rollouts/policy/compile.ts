/**
 * A policy as the engine reads it: every hook with a point, one action and all defaults filled in. What an API server cannot check is
 * checked here, because a policy may have been stored before its definition knew a rule.
 */
import { parseDuration } from '../../cron/index.ts'
import type { FailurePolicy } from '../../hooks/index.ts'
import { type Point, parsePoint, showPoint } from '../points/point.ts'
import type {
  Action,
  Approval,
  AttemptLimits,
  ExecNewPod,
  Handler,
  HttpAction,
  LifecycleHook,
  RetainPolicy,
  RolloutPolicySpec,
  RolloutType,
} from './types.ts'
import type { JobSpec } from './workload.ts'

/** When a hook runs. `post` comes after everything else, when the workload is complete. */
export type Moment =
  | { readonly kind: 'progress'; readonly point: Point }
  | { readonly kind: 'mid' }
  | { readonly kind: 'post' }
  | { readonly kind: 'aborted' }

export type HookAction =
  | { readonly kind: 'job'; readonly spec: JobSpec }
  | { readonly kind: 'pod'; readonly pod: ExecNewPod }
  | { readonly kind: 'http'; readonly http: HttpAction }
  | { readonly kind: 'approval'; readonly approval: CompiledApproval }

/** How long it waits is a number of seconds from here on. */
export interface CompiledApproval extends Omit<Approval, 'timeout'> {
  readonly timeoutSeconds?: number
}

export interface CompiledHook {
  readonly name: string
  readonly moment: Moment
  readonly action: HookAction
  readonly failurePolicy: FailurePolicy
  readonly retain: RetainPolicy
  readonly rolloutTypes: readonly RolloutType[]
  /** Milliseconds. */
  readonly timeout: number | undefined
}

export interface CompiledPolicy {
  readonly hooks: readonly CompiledHook[]
  readonly onAbort: 'Hold' | 'Undo'
  readonly historyLimit: number
}

export interface PolicyProblem {
  readonly field: string
  readonly message: string
}

/** Not `UNDO`: the way back from a failed rollout does not run into the hook that failed. */
export const defaultTypes: readonly RolloutType[] = ['ROLLOUT', 'ROLLBACK', 'RESTART']
/** Without a limit, a call without an answer would hold the rollout. */
const httpTimeout = 30_000
/** As a kubelet waits between restarts. */
const defaultBackoff = 10_000
const defaultMaxBackoff = 300_000
/** Hooks for an abort stand before the way back, which must not wait for one that never succeeds. */
const abortedRetryLimit = 5

export function compilePolicy(
  spec: RolloutPolicySpec,
): CompiledPolicy | { readonly problems: readonly PolicyProblem[] } {
  const problems: PolicyProblem[] = []
  const hooks: CompiledHook[] = []
  const keep = (field: string, hook: CompiledHook | string) => {
    if (typeof hook === 'string') problems.push({ field, message: hook })
    else hooks.push(hook)
  }
  const types = spec.rolloutTypes ?? defaultTypes
  const { pre, mid, post } = spec.lifecycle ?? {}
  const start: Moment = { kind: 'progress', point: { unit: 'pods', amount: 0 } }
  if (pre !== undefined) keep('spec.lifecycle.pre', compileHandler('pre', start, pre, types))
  if (mid !== undefined) keep('spec.lifecycle.mid', compileHandler('mid', { kind: 'mid' }, mid, types))
  if (post?.failurePolicy === 'Abort')
    problems.push({ field: 'spec.lifecycle.post.failurePolicy', message: 'Abort is not possible after the rollout' })
  else if (post !== undefined) keep('spec.lifecycle.post', compileHandler('post', { kind: 'post' }, post, types))
  for (const [index, hook] of (spec.lifecycleHooks ?? []).entries())
    keep(`spec.lifecycleHooks[${index}]`, compileHook(hook, types))
  const twice = hooks.find((hook, index) => hooks.findIndex(({ name }) => name === hook.name) !== index)
  if (twice !== undefined)
    problems.push({ field: 'spec.lifecycleHooks', message: `two hooks have the name ${twice.name}` })
  if (problems.length > 0) return { problems }
  return { hooks, onAbort: spec.onAbort ?? 'Hold', historyLimit: spec.historyLimit ?? 5 }
}

/** How a moment is written in ledgers and for people. */
export function showMoment(moment: Moment): string {
  return moment.kind === 'progress' ? showPoint(moment.point) : moment.kind
}

function compileHandler(
  name: string,
  moment: Moment,
  handler: Handler,
  types: readonly RolloutType[],
): CompiledHook | string {
  const action = actionOf(handler)
  if (typeof action === 'string') return action
  const failurePolicy = failurePolicyOf(handler.failurePolicy, handler, moment)
  return {
    name,
    moment,
    action,
    failurePolicy,
    retain: retainOf(action, 'OnFailure'),
    rolloutTypes: [...new Set(types)],
    timeout: timeoutOf(action, handler),
  }
}

function compileHook(hook: LifecycleHook, types: readonly RolloutType[]): CompiledHook | string {
  const action = actionOf(hook)
  if (typeof action === 'string') return action
  const moment = momentOf(hook)
  if (typeof moment === 'string') return moment
  const { name, failurePolicy = 'Abort', retainPolicy = 'OnFailure' } = hook
  if (hook.on !== undefined && hook.rolloutTypes !== undefined)
    return 'on is the previous name of rolloutTypes: only one of them can be given'
  const rolloutTypes = hook.rolloutTypes ?? hook.on ?? types
  return {
    name,
    moment,
    action,
    failurePolicy: failurePolicyOf(failurePolicy, hook, moment),
    retain: retainOf(action, retainPolicy),
    rolloutTypes: [...new Set(rolloutTypes)],
    timeout: timeoutOf(action, hook),
  }
}

function momentOf({ trigger }: LifecycleHook): Moment | string {
  if (trigger?.type === 'Aborted') return { kind: 'aborted' }
  const written = trigger?.progressAvailableParams.progressPoint
  const point = written === undefined ? undefined : parsePoint(written)
  if (point === undefined)
    return `progressPoint must be a number of pods or a percentage from 0% to 100%, but is ${JSON.stringify(written ?? null)}`
  return { kind: 'progress', point }
}

function actionOf({ jobSpec, execNewPod, http, approval }: Action): HookAction | string {
  const given: HookAction[] = []
  if (jobSpec !== undefined) given.push({ kind: 'job', spec: jobSpec })
  if (execNewPod !== undefined) given.push({ kind: 'pod', pod: execNewPod })
  if (http !== undefined) given.push({ kind: 'http', http })
  if (approval !== undefined) given.push({ kind: 'approval', approval: approvalOf(approval) })
  const [only] = given
  // What is behind the host may be a secret, and so may be what is no address at all.
  if (http !== undefined && !URL.canParse(http.url)) return 'http.url is no address that can be called'
  return only !== undefined && given.length === 1
    ? only
    : 'exactly one of jobSpec, execNewPod, http, approval must be given'
}

function approvalOf({ timeout, ...approval }: Approval): CompiledApproval {
  const milliseconds = timeout === undefined ? undefined : parseDuration(timeout)
  return milliseconds === undefined ? approval : { ...approval, timeoutSeconds: milliseconds / 1000 }
}

function failurePolicyOf(
  policy: NonNullable<LifecycleHook['failurePolicy']>,
  { retry = {} }: AttemptLimits,
  moment: Moment,
): FailurePolicy {
  if (policy === 'Abort') return { kind: 'abort' }
  if (policy !== 'Retry') return { kind: 'ignore' }
  const backoff = retry.backoffSeconds === undefined ? defaultBackoff : retry.backoffSeconds * 1000
  const ceiling = retry.maxBackoffSeconds === undefined ? defaultMaxBackoff : retry.maxBackoffSeconds * 1000
  return {
    kind: 'retry',
    ...limitOf(retry.limit, moment),
    backoff,
    maxBackoff: Math.max(backoff, ceiling),
  }
}

/** After the end of a rollout, complete or aborted, a hook that fails takes nothing back. */
function limitOf(
  limit: number | undefined,
  { kind }: Moment,
): { readonly limit?: number; readonly atLimit?: 'proceed' } {
  if (kind === 'aborted') return { limit: limit ?? abortedRetryLimit, atLimit: 'proceed' }
  return { ...(limit === undefined ? {} : { limit }), ...(kind === 'post' ? { atLimit: 'proceed' } : {}) }
}

/** A call leaves nothing that could be kept. */
function retainOf({ kind }: HookAction, written: RetainPolicy): RetainPolicy {
  return kind === 'http' ? 'Never' : written
}

function timeoutOf({ kind }: HookAction, { timeoutSeconds }: AttemptLimits): number | undefined {
  if (timeoutSeconds !== undefined) return timeoutSeconds * 1000
  return kind === 'http' ? httpTimeout : undefined
}
