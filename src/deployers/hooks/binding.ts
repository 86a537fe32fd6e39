/**
 * A hook from configuration: a program, an HTTP request or a Job at a point of a deployer, so that a deployer can be extended without
 * building it. Programs and HTTP requests get the same context and give the same answers. They never get a credential.
 */
import { CarabinerError, isJsonObject, type Json } from '../../runtime/index.ts'
import { readDuration } from '../resources/duration.ts'
import { recordsItself } from './execute.ts'
import type { HookContext, HookRun } from './hook-run.ts'
import { isValueName, type PayloadOptions, payloadOfItem, payloadOfTarget } from './payload.ts'
import type { HookArguments, HookResult, HookType, ReconcileExtensionHook } from './registry.ts'
import { runOfReconcile } from './run.ts'
import { type HttpAction, httpHook } from './run-http.ts'
import { type JobAction, jobHook } from './run-job.ts'
import { type ProcessAction, processHook } from './run-process.ts'
import type { HookRunner } from './runner.ts'

export interface HookBinding {
  /** Unique among the hooks of a deployer. */
  readonly name: string
  readonly points: readonly HookType[]
  /** How long it may take. @default 30s */
  readonly timeout?: string
  /** Values that the hook gets in the clear: `Secret/NAME/KEY`, or a path in `spec.config` such as `values/image/tag`. @default none */
  readonly values?: readonly string[]
  /** Exactly one of the three. */
  readonly process?: ProcessAction
  readonly http?: HttpAction
  readonly job?: JobAction
}

const defaultTimeoutMs = 30_000
/** Points at which a Job can hold the item: those that are reached again by the next reconcile of the same run. */
const jobPoints: ReadonlySet<HookType> = new Set<HookType>([
  'BeforeAnyReconcile',
  'BeforeAbort',
  'BeforeForceReconcile',
  'BeforeDelete',
  'BeforeReconcile',
])

/** Problems of a binding that a schema cannot express. */
export function problemOf({ process, http, job, timeout, points, values = [] }: HookBinding): string | undefined {
  if ([process, http, job].filter((action) => action !== undefined).length !== 1)
    return 'exactly one of process, http, job must be given'
  if (timeout !== undefined && !readDuration(timeout)) return `timeout ${timeout} is not a duration above 0`
  const unknown = values.find((value) => !isValueName(value))
  if (unknown !== undefined) return `values: ${unknown} is neither Secret/NAME/KEY nor a path such as values/image/tag`
  if (job !== undefined && values.length > 0) return 'values: a job gets no context'
  const wrong = job === undefined ? undefined : points.find((point) => !jobPoints.has(point))
  return wrong === undefined ? undefined : `a job cannot be at ${wrong}, only at ${[...jobPoints].join(', ')}`
}

/** The function that a deployer registers for the binding; `runner` is shared by the deployers of a process. */
export function hookFrom(binding: HookBinding, runner: HookRunner): ReconcileExtensionHook {
  const problem = problemOf(binding)
  if (problem !== undefined) throw new CarabinerError('CRB_SETTING_INVALID', `hook ${binding.name}: ${problem}`)
  const { process, http, job, name, values = [] } = binding
  const timeout = readDuration(binding.timeout ?? '') ?? defaultTimeoutMs
  const { records } = runner
  const payload = { values, salt: runner.salt }
  const attend = (action: string, carryOut: (context: HookContext, made: HookRun) => Promise<string>) =>
    recordsItself((hook) => {
      const run = runOfReconcile(name, hook, records.nextCount())
      return records.attend(run, action, hook, async (output) =>
        readAnswer(await carryOut(contextOf(name, hook, payload), { runner, run, timeout, hook, output }), name),
      )
    })
  if (process !== undefined) return attend('process', (context, made) => processHook(process, context, made))
  if (http !== undefined) return attend('http', (context, made) => httpHook(http, context, made))
  const jobs = runner.jobs()
  return recordsItself((hook) => jobHook(job as JobAction, name, hook, { jobs, timeout, records }))
}

function contextOf(
  hook: string,
  { type, deployItem, target, now }: HookArguments,
  options: PayloadOptions,
): HookContext {
  return {
    point: type,
    hook,
    time: new Date(now).toISOString(),
    ...(deployItem === undefined ? {} : { deployItem: payloadOfItem(deployItem, options) }),
    ...(target === undefined ? {} : { target: payloadOfTarget(target) }),
  }
}

/** The answer of a hook: empty, or `{"abortReconcile": true, "requeue": true, "requeueAfter": "10m"}` with any of them. */
export function readAnswer(text: string, name: string): HookResult | undefined {
  if (text.trim() === '') return undefined
  const refuse = (problem: string) => new Error(`hook ${name}: its answer ${problem}`)
  let answer: Json
  try {
    answer = JSON.parse(text) as Json
  } catch (error) {
    throw new Error(`hook ${name}: its answer is not JSON`, { cause: error })
  }
  if (!isJsonObject(answer)) throw refuse('is not a JSON object')
  const { abortReconcile = false, requeue = false, requeueAfter, ...more } = answer
  const [unknown] = Object.keys(more)
  if (unknown !== undefined)
    throw refuse(`has the unknown field ${unknown}; known fields are abortReconcile, requeue, requeueAfter`)
  if (typeof abortReconcile !== 'boolean' || typeof requeue !== 'boolean')
    throw refuse('has an abortReconcile or requeue that is not a boolean')
  const after = requeueAfter === undefined ? 0 : readDuration(String(requeueAfter))
  if (after === undefined) throw refuse(`has a requeueAfter that is not a duration: ${JSON.stringify(requeueAfter)}`)
  return { abortReconcile, reconcileResult: { requeue, requeueAfterMs: after } }
}
