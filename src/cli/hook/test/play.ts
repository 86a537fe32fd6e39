/** Plays one test case: a cluster of its own in virtual time, the engine of the operator, real hooks. */
import { Engine } from '../../../addons/scripts/engine/engine.ts'
import { EngineMetrics } from '../../../addons/scripts/engine/metrics.ts'
import { hookEnvironment } from '../../../addons/scripts/environment.ts'
import type { Hook } from '../../../addons/scripts/hook.ts'
import { HookMetrics } from '../../../addons/scripts/metrics/registry.ts'
import { ObjectPatcher } from '../../../addons/scripts/patches/patcher.ts'
import { applyEffects } from '../../../addons/scripts/run/effects.ts'
import { HookRunner } from '../../../addons/scripts/run/runner.ts'
import type { RunRequest, RunResult } from '../../../addons/scripts/run/types.ts'
import { Recorder } from '../../../hooks/index.ts'
import { createClient } from '../../../kube/client/create.ts'
import type { Json, JsonObject } from '../../../runtime/json.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { createSimulation, type LogRecord } from '../../../runtime/simulated/index.ts'
import { createSandbox } from '../../../sandbox/index.ts'
import { frameworkDir } from '../../package-folder.ts'
import { filterOptions } from '../../scripts/jq-modules.ts'
import { shownPatch } from '../run/report.ts'
import { nothing, type Step, type TestCase } from './case.ts'
import { type Problem, problemsIn, type SeenRun } from './expectations.ts'
import { CaseObjects, nameOf, titleOf } from './objects.ts'
import { mixedRuntime } from './world.ts'

export interface Played {
  readonly runs: number
  /** In which step what was not as expected; none when the case passed. */
  readonly problems: readonly (Problem & { readonly step: string })[]
}

export interface Stage {
  /** Those of the case. */
  readonly hooks: readonly Hook[]
  readonly runtime: Runtime
  /** Folder for the files of runs. */
  readonly tmpDir: string
  /** Milliseconds of real time a run may take. */
  readonly longestRun: number
  /** Somebody does not want to know any more. */
  readonly signal: AbortSignal
}

/** Virtual milliseconds that pass after each step, so that everything it caused has happened. Less than the pause after a failure. */
const settling = 1000

const retry = { backoff: 3000, maxBackoff: 32_000 }

interface Noted {
  readonly request: RunRequest
  readonly contexts: readonly JsonObject[]
  result: RunResult
}

export async function playCase(test: TestCase, stage: Stage): Promise<Played> {
  const simulation = createSimulation(1, { start: test.time })
  return simulation.run(async () => {
    const runtime = mixedRuntime(simulation, stage.runtime, stage.longestRun)
    const sandbox = createSandbox(simulation.runtime, { nodes: test.nodes })
    await sandbox.ready
    const client = createClient({ transport: sandbox.transport(), runtime: simulation.runtime, onWarning: () => {} })
    const objects = new CaseObjects(client, runtime.clock)
    for (const object of test.given) await objects.create(object)
    const runner = new HookRunner(runtime, {
      tmpDir: stage.tmpDir,
      env: hookEnvironment(stage.runtime.env, frameworkDir()),
      jq: filterOptions(stage.runtime.env['JQ_LIBRARY_PATH']),
    })
    const effects = { metrics: new HookMetrics(), patcher: new ObjectPatcher(client, runtime) }
    const noted: Noted[] = []
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, stage.signal])
    const engine = new Engine({
      hooks: stage.hooks,
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
          noted.push({ request, contexts: await contextsOf(request, runtime, stage.tmpDir), result })
          return result
        },
        apply: async (hook, ran) => {
          const { failure: _, ...rest } = ran
          const failure = await applyEffects(effects, ran, { hook: hook.name }, signal)
          const result = failure === undefined ? rest : { ...rest, failure }
          for (const run of noted) if (run.result === ran) run.result = result
          return result
        },
      },
    })
    engine.start()
    const problems: Played['problems'][number][] = []
    let [firstRun, firstLine] = [0, 0]
    try {
      for (const { step, title } of titled(test.steps)) {
        const refused = await act(step, objects).catch((error: unknown) => [wordsOf(error)])
        if (refused.length > 0) {
          problems.push({ step: title, what: 'cannot be done', lines: refused })
          break
        }
        await runtime.clock.sleep(settling + step.wait, stage.signal)
        const runs = noted.slice(firstRun)
        const happened = {
          runs: runs.map(seen),
          complaints: runs.flatMap((run) => complaint(run, stage.longestRun)),
          patches: runs.flatMap(({ result }) => result.patches.map((patch) => shownPatch(patch) as JsonObject)),
          lines: simulation.logs
            .slice(firstLine)
            .filter(isOutput)
            .map(({ message }) => message),
          metrics: effects.metrics.render(),
        }
        const found = await problemsIn(step.expect, happened, objects)
        problems.push(...found.map((problem) => ({ ...problem, step: title })))
        ;[firstRun, firstLine] = [noted.length, simulation.logs.length]
      }
    } finally {
      ending.abort()
      await engine.ended()
      await runner.close()
      await sandbox.stop()
    }
    return { runs: noted.length, problems }
  })
}

/** What could not be done, and so ends the case. */
async function act(step: Step, objects: CaseObjects): Promise<readonly string[]> {
  for (const object of step.create) await objects.create(object)
  for (const object of step.update) await objects.update(object)
  for (const name of step.delete) await objects.delete(name)
  return []
}

/** Large contexts are handed over as somebody who writes a file. */
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

function seen({ request, contexts, result }: Noted): SeenRun {
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

function complaint({ request, result: { exit, failure } }: Noted, longestRun: number): readonly string[] {
  if (failure === undefined) return []
  const hint = exit?.signal === 'SIGKILL' ? `; runs of a test may take ${longestRun / 1000} s (--timeout)` : ''
  return [`${request.hook.name}: ${failure.message}${hint}`]
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isOutput({ fields }: LogRecord): boolean {
  return 'output' in fields
}

/** What the start causes is over before the first thing is done: a first step that does nothing looks at it. */
function titled(steps: readonly Step[]): readonly { readonly step: Step; readonly title: string }[] {
  const all = steps.map((step, index) => {
    const deeds = deedsOf(step)
    const isStart = index === 0 && deeds.length === 0
    return { step, title: isStart ? 'start' : [`step ${index + 1}`, ...deeds].join(', '), isStart }
  })
  return all[0]?.isStart === true ? all : [{ step: nothing, title: 'start' }, ...all]
}

/** As `create ConfigMap default/new`. */
function deedsOf(step: Step): readonly string[] {
  return [
    ...step.create.map((object) => `create ${titleOf(nameOf(object))}`),
    ...step.update.map((object) => `update ${titleOf(nameOf(object))}`),
    ...step.delete.map((name) => `delete ${titleOf(name)}`),
    ...(step.wait === 0 ? [] : [`wait ${step.wait / 1000} s`]),
  ]
}
