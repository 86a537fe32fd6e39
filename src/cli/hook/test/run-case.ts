/** Runs one test case: a sandbox in virtual time, the script hooks engine of the operator, real hooks. */
import {
  applyEffects,
  Engine,
  EngineMetrics,
  type Hook,
  HookMetrics,
  HookRunner,
  hookEnvironment,
  ObjectPatcher,
  type RunRequest,
  type RunResult,
} from '../../../addons/scripts/index.ts'
import { Recorder } from '../../../hooks/index.ts'
import { createClient } from '../../../kube/index.ts'
import { append, type Json, type JsonObject, type Runtime } from '../../../runtime/index.ts'
import { createSimulation, type LogRecord, type Simulation } from '../../../runtime/simulated/index.ts'
import { createSandbox } from '../../../sandbox/index.ts'
import { frameworkDir } from '../../package-folder.ts'
import { filterOptions } from '../../scripts/jq-modules.ts'
import { shownPatch } from '../run/report.ts'
import { emptyStep, type Step, type TestCase } from './case.ts'
import { type Problem, problemsIn, type SeenRun } from './expectations.ts'
import { mixedRuntime } from './mixed-runtime.ts'
import { CaseObjects, nameOf, titleOf } from './objects.ts'

export interface CaseOutcome {
  readonly runs: number
  /** Differences by step; empty when the case passed. */
  readonly problems: readonly (Problem & { readonly step: string })[]
}

export interface CaseEnvironment {
  /** The hooks of the case. */
  readonly hooks: readonly Hook[]
  readonly runtime: Runtime
  /** Folder for the files of runs. */
  readonly tmpDir: string
  /** Time limit of a run, in real time. */
  readonly runTimeoutMs: number
  /** Aborts when the command is interrupted. */
  readonly signal: AbortSignal
}

/** Virtual time after each step for everything that the step causes. Less than the back-off after a failed run. */
const settleMs = 1000

const retry = { backoff: 3000, maxBackoff: 32_000 }

interface RecordedRun {
  readonly request: RunRequest
  readonly contexts: readonly JsonObject[]
  result: RunResult
}

export async function runCase(test: TestCase, environment: CaseEnvironment): Promise<CaseOutcome> {
  // The steps end it: a wait of a month may have any number of events.
  const simulation = createSimulation(1, { start: test.time, maxEvents: Number.POSITIVE_INFINITY })
  return simulation.run(async () => {
    const runtime = mixedRuntime(simulation, environment.runtime, environment.runTimeoutMs)
    const sandbox = createSandbox(simulation.runtime, { nodes: test.nodes })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime: simulation.runtime, onWarning: () => {} })
    const objects = new CaseObjects(client, runtime.clock)
    for (const object of test.given) await objects.create(object)
    const runner = new HookRunner(runtime, {
      tmpDir: environment.tmpDir,
      env: hookEnvironment(environment.runtime.env, frameworkDir()),
      jq: filterOptions(environment.runtime.env['JQ_LIBRARY_PATH']),
    })
    const effects = { metrics: new HookMetrics(), patcher: new ObjectPatcher(client, runtime) }
    const recorded: RecordedRun[] = []
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, environment.signal])
    const engine = new Engine({
      hooks: environment.hooks,
      client,
      runtime,
      recorder: new Recorder(runtime),
      metrics: new EngineMetrics(runtime.metrics, 'shell_operator_'),
      retry,
      signal,
      changed: () => {},
      runs: {
        run: async (request) => {
          const result = await runner.run(request)
          recorded.push({ request, contexts: await contextsOf(request, runtime, environment.tmpDir), result })
          return result
        },
        apply: async (hook, ran) => {
          const { failure: _, ...rest } = ran
          const failure = await applyEffects(effects, ran, { hook: hook.name }, signal)
          const result = failure === undefined ? rest : { ...rest, failure }
          for (const run of recorded) if (run.result === ran) run.result = result
          return result
        },
      },
    })
    engine.start()
    try {
      const metrics = () => effects.metrics.render()
      const problems = await runSteps(test.steps, { environment, simulation, runtime, objects, recorded, metrics })
      return { runs: recorded.length, problems }
    } finally {
      ending.abort()
      await engine.ended()
      await runner.close()
      await sandbox.stop()
    }
  })
}

interface RunningCase {
  readonly environment: CaseEnvironment
  readonly simulation: Simulation
  readonly runtime: Runtime
  readonly objects: CaseObjects
  /** Grows while the case runs. */
  readonly recorded: readonly RecordedRun[]
  metrics(): string
}

/** Executes the steps and compares each with its expectations; a failed action ends the case. */
async function runSteps(
  steps: readonly Step[],
  { environment, simulation, runtime, objects, recorded, metrics }: RunningCase,
): Promise<CaseOutcome['problems']> {
  const problems: CaseOutcome['problems'][number][] = []
  let [firstRun, firstLine] = [0, 0]
  for (const { step, title } of titled(steps)) {
    const refused = await act(step, objects).catch((error: unknown) => [messageOf(error)])
    if (refused.length > 0) return [...problems, { step: title, what: 'action failed', lines: refused }]
    await runtime.clock.sleep(settleMs + step.wait, environment.signal)
    const runs = recorded.slice(firstRun)
    const lines = simulation.logs.slice(firstLine).filter(isOutput)
    const result = {
      runs: runs.map(seen),
      failures: runs.flatMap((run) => failureLines(run, environment.runTimeoutMs)),
      patches: runs.flatMap((run) => run.result.patches.map((patch) => shownPatch(patch) as JsonObject)),
      lines: lines.map(({ message }) => message),
      metrics: metrics(),
    }
    const found = await problemsIn(step.expect, result, objects)
    append(
      problems,
      found.map((problem) => ({ ...problem, step: title })),
    )
    ;[firstRun, firstLine] = [recorded.length, simulation.logs.length]
  }
  return problems
}

/** Executes the actions of a step. */
async function act(step: Step, objects: CaseObjects): Promise<readonly string[]> {
  for (const object of step.create) await objects.create(object)
  for (const object of step.update) await objects.update(object)
  for (const name of step.delete) await objects.delete(name)
  return []
}

/** Large contexts are passed as a function that writes them to a file. */
async function contextsOf(
  { contexts }: RunRequest,
  { files }: Runtime,
  folder: string,
): Promise<readonly JsonObject[]> {
  if (typeof contexts === 'string') return JSON.parse(contexts) as JsonObject[]
  const path = `${folder}/contexts.json`
  await contexts(path)
  return JSON.parse(await files.readText(path)) as JsonObject[]
}

function seen({ request, contexts, result }: RecordedRun): SeenRun {
  const [{ binding, type, watchEvent, resourceEvent } = {} as JsonObject] = contexts
  const event = watchEvent ?? resourceEvent
  const { exit, failure } = result
  return {
    hook: request.hook.name,
    binding: String(binding),
    type: String(type ?? (event === undefined ? (binding === 'onStartup' ? 'onStartup' : 'Schedule') : 'Event')),
    ...(event === undefined ? {} : { event: String(event) }),
    exit: exit?.signal ?? exit?.code ?? 'not started',
    ...(failure === undefined ? {} : { failure: failure.reason }),
    contexts: contexts as readonly Json[],
  }
}

function failureLines({ request, result: { exit, failure } }: RecordedRun, runTimeoutMs: number): readonly string[] {
  if (failure === undefined) return []
  const hint = exit?.signal === 'SIGKILL' ? `; runs of a test may take ${runTimeoutMs / 1000} s (--timeout)` : ''
  return [`${request.hook.name}: ${failure.message}${hint}`]
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isOutput({ fields }: LogRecord): boolean {
  return 'output' in fields
}

/** Adds a step `start` without actions, unless the first step has none: everything caused by the start happens in it. */
function titled(steps: readonly Step[]): readonly { readonly step: Step; readonly title: string }[] {
  const all = steps.map((step, index) => {
    const actions = actionsOf(step)
    const isStart = index === 0 && actions.length === 0
    return { step, title: isStart ? 'start' : [`step ${index + 1}`, ...actions].join(', '), isStart }
  })
  return all[0]?.isStart === true ? all : [{ step: emptyStep, title: 'start' }, ...all]
}

/** For example `create ConfigMap default/new`. */
function actionsOf(step: Step): readonly string[] {
  return [
    ...step.create.map((object) => `create ${titleOf(nameOf(object))}`),
    ...step.update.map((object) => `update ${titleOf(nameOf(object))}`),
    ...step.delete.map((name) => `delete ${titleOf(name)}`),
    ...(step.wait === 0 ? [] : [`wait ${step.wait / 1000} s`]),
  ]
}
