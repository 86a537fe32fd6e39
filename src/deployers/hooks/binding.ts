/**
 * A hook from configuration: a program, an HTTP call or a Job at a point of a deployer, so that operators extend a deployer without
 * building it. All three are given the same context and can answer the same; what they never get is a credential.
 */
import type { KubeClient } from '../../kube/client/client.ts'
import type { KubeObject } from '../../kube/object.ts'
import { CarabinerError } from '../../runtime/errors.ts'
import { isJsonObject, type Json } from '../../runtime/json.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { readDuration } from '../resources/duration.ts'
import type { DeployItem } from '../resources/types.ts'
import type { HookContext } from './hook-run.ts'
import type { HookArguments, HookResult, HookType, ReconcileExtensionHook } from './registry.ts'
import { callHook, type HttpAction } from './run-http.ts'
import { type JobAction, jobHook } from './run-job.ts'
import { type ProcessAction, processHook } from './run-process.ts'

export interface HookBinding {
  /** Unique among the hooks of a deployer. */
  readonly name: string
  readonly points: readonly HookType[]
  /** How long it may take. @default 30s */
  readonly timeout?: string
  /** Exactly one of the three. */
  readonly process?: ProcessAction
  readonly http?: HttpAction
  readonly job?: JobAction
}

const defaultTimeout = 30_000
/** Points a Job can hold up: those that come again while the item is at work. */
const jobPoints: ReadonlySet<HookType> = new Set<HookType>([
  'BeforeAnyReconcile',
  'BeforeAbort',
  'BeforeForceReconcile',
  'BeforeDelete',
  'BeforeReconcile',
])

/** What is wrong with a binding that a schema cannot say. */
export function problemOf({ process, http, job, timeout, points }: HookBinding): string | undefined {
  if ([process, http, job].filter((action) => action !== undefined).length !== 1)
    return 'exactly one of process, http, job must be given'
  if (timeout !== undefined && !readDuration(timeout)) return `timeout ${timeout} is no time a hook could take`
  const wrong = job === undefined ? undefined : points.find((point) => !jobPoints.has(point))
  return wrong === undefined ? undefined : `a job cannot be at ${wrong}, only at ${[...jobPoints].join(', ')}`
}

export function hookFrom(binding: HookBinding, runtime: Runtime, client: KubeClient): ReconcileExtensionHook {
  const problem = problemOf(binding)
  if (problem !== undefined) throw new CarabinerError('CRB_SETTING_INVALID', `hook ${binding.name}: ${problem}`)
  const { process, http, job, name } = binding
  const timeout = readDuration(binding.timeout ?? '') ?? defaultTimeout
  if (process !== undefined)
    return async (hook) => answerOf(await processHook(process, contextOf(name, hook), { runtime, timeout, hook }), name)
  if (http !== undefined)
    return async (hook) => answerOf(await callHook(http, contextOf(name, hook), { runtime, timeout, hook }), name)
  return (hook) => jobHook(job as JobAction, name, { client, runtime, hook, timeout })
}

function contextOf(hook: string, { type, deployItem, target, now }: HookArguments): HookContext {
  return {
    point: type,
    hook,
    time: new Date(now).toISOString(),
    ...(deployItem === undefined ? {} : { deployItem: withoutKubeconfig(deployItem) }),
    ...(target === undefined
      ? {}
      : { target: { metadata: shown(target.metadata), spec: { type: target.spec.type } } as unknown as Json }),
  }
}

/** kubectl leaves a copy of the whole object there, kubeconfig and all. */
const copyOfObject = 'kubectl.kubernetes.io/last-applied-configuration'

function shown({ annotations, ...metadata }: KubeObject['metadata']): KubeObject['metadata'] {
  if (annotations === undefined) return metadata
  const { [copyOfObject]: _, ...others } = annotations
  return { ...metadata, annotations: others }
}

/** Hooks are told what an item is, not how its cluster is entered. */
function withoutKubeconfig(item: DeployItem): Json {
  const config = Object.entries(item.spec.config ?? {}).filter(([field]) => field !== 'kubeconfig')
  const spec = item.spec.config === undefined ? item.spec : { ...item.spec, config: Object.fromEntries(config) }
  return { ...item, metadata: shown(item.metadata), spec } as unknown as Json
}

/** What a hook wrote: nothing, or `{"abortReconcile": true, "requeue": true, "requeueAfter": "10m"}` with any of them. */
export function answerOf(text: string, name: string): HookResult | undefined {
  if (text.trim() === '') return undefined
  const refuse = (problem: string) => new Error(`hook ${name}: its answer ${problem}`)
  let answer: Json
  try {
    answer = JSON.parse(text) as Json
  } catch (error) {
    throw new Error(`hook ${name}: its answer is no JSON`, { cause: error })
  }
  if (!isJsonObject(answer)) throw refuse('is no JSON object')
  const { abortReconcile = false, requeue = false, requeueAfter, ...more } = answer
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) throw refuse(`has a field ${unknown}; known are abortReconcile, requeue, requeueAfter`)
  if (typeof abortReconcile !== 'boolean' || typeof requeue !== 'boolean')
    throw refuse('has abortReconcile or requeue that is neither true nor false')
  const after = requeueAfter === undefined ? 0 : readDuration(String(requeueAfter))
  if (after === undefined) throw refuse(`has a requeueAfter that is no duration: ${JSON.stringify(requeueAfter)}`)
  return { abortReconcile, reconcileResult: { requeue, requeueAfterMs: after } }
}
