/**
 * Public face of script hooks: a folder of executables that run when something happens in the cluster, by the clock and at the start.
 */

import type { RunMemory } from '../../hooks/index.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { serveDebug } from './debug/serve.ts'
import type { Conductor } from './engine/conductor.ts'
import { Engine } from './engine/engine.ts'
import { beat } from './heartbeat.ts'
import type { Hook } from './hook.ts'
import { HookMetrics } from './metrics/registry.ts'
import type { ScriptsOptions } from './options.ts'
import { ObjectPatcher } from './patches/patcher.ts'
import { Preparation } from './preparation.ts'
import { DumpFiles } from './queues/dump-files.ts'
import { queuesAsText } from './queues/listing.ts'
import { recordingOf } from './recording.ts'
import { type ShownState, scriptRoutes } from './routes.ts'
import { applyEffects, keepValues } from './run/effects.ts'
import type { AskHook } from './webhooks/admission.ts'
import { Webhooks } from './webhooks/servers.ts'

export type { HookLayout } from './discovery/discover.ts'
export type { Conducted, Conductor } from './engine/conductor.ts'
export type { Errand, RunOutcome } from './engine/errand.ts'
export type { ScriptsOptions } from './options.ts'
export type { ServerPlace, WebhookOptions } from './webhooks/servers.ts'

export interface ScriptsContext {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
  /** The latest runs of every surface of this process. @default a memory of its own */
  readonly runs?: RunMemory
}

/** What a conductor may need. */
export interface ConductorContext extends ScriptsContext {
  /** What hooks inherit. */
  readonly env: Readonly<Record<string, string>>
  /** In front of the names of built-in metrics. */
  readonly metricsPrefix: string
}

export type MakeConductor = (context: ConductorContext) => Promise<Conductor>

/** The document waits three seconds; a hook that goes on failing is tried less often. */
const defaultRetry = { backoff: 3000, maxBackoff: 32_000 }

/** The plug for the operator. Without `conduct` there are only the hooks of the start, and they have no values. */
export function scriptsSurface(options: ScriptsOptions, conduct?: MakeConductor) {
  const shown: { state?: ShownState } = {}
  let early: Preparation | undefined
  return {
    name: 'scripts',
    resources: [],
    routes: scriptRoutes({
      hookMetrics: () => shown.state?.hookMetrics() ?? '',
      queues: () => shown.state?.queues() ?? 'All queues are empty.\n',
    }),
    moreMetrics: () => {
      const metrics = options.hookMetricsEverywhere === true ? (shown.state?.hookMetrics() ?? '') : ''
      return metrics === '' ? '' : `\n${metrics}`
    },
    /** Has hooks asked before there is a cluster; resolves when that has begun. */
    async prepare({ runtime, signal }: Pick<ScriptsContext, 'runtime' | 'signal'>) {
      // Somebody may stop it all before this is even loaded; a thread that is begun after that would keep the process alive for ever.
      if (signal.aborted) return
      const begun = new Preparation(options, runtime)
      early = begun
      // Nobody else ends what never came to its work.
      signal.addEventListener('abort', () => void (early === begun && begun.close()), { once: true })
      await begun.asking
    },
    async start(context: ScriptsContext) {
      const preparation = early ?? new Preparation(options, context.runtime)
      early = undefined
      const running = await startScripts(options, preparation, context, conduct)
      shown.state = running.state
      return { ready: running.ready, stop: running.stop }
    },
  }
}

async function startScripts(
  options: ScriptsOptions,
  preparation: Preparation,
  context: ScriptsContext,
  conduct: MakeConductor | undefined,
) {
  const { client, runtime, signal } = context
  const { retry = defaultRetry, queueFiles = [], timeout } = options
  const { env, runner, metrics, metricsPrefix } = preparation
  const { conductor, hooks, later, webhooks } = await prepare(options, preparation, context, () =>
    conduct?.({ ...context, env, metricsPrefix }),
  )
  const effects = { metrics: new HookMetrics(), patcher: new ObjectPatcher(client, runtime) }
  const dump = new DumpFiles(runtime, queueFiles, () => queuesAsText(engine.queues))
  const recording = recordingOf(options, [...hooks, ...later], context)
  const engine = new Engine({
    ...recording.to,
    hooks,
    client,
    runtime,
    metrics,
    retry,
    signal,
    ...(timeout === undefined ? {} : { timeout }),
    changed: () => dump.changed(),
    runs: {
      run: (request) =>
        runner.run(conductor === undefined ? request : { ...request, values: conductor.valuesFor(request.hook) }),
      apply: async (hook, result, why) => {
        const { failure: _, ...rest } = result
        const failure = await applyEffects(effects, result, { hook: hook.name }, signal)
        if (failure !== undefined) return { ...rest, failure }
        if (conductor === undefined) return rest
        const refusal = await keepValues(rest, (patches) => conductor.keep(hook, patches, why))
        return refusal === undefined ? rest : { ...rest, failure: refusal }
      },
    },
  })
  const life = beat(runtime, metrics, engine)
  const debug = await serveDebug(options.debug ?? [], engine, runtime, {
    more: conductor?.debug,
    runs: recording.memory,
  })
  engine.start()
  const conducted = conductor?.start(engine, [...hooks, ...later])
  const ask: AskHook = (hook, review) => engine.review(hook, review)
  const registered = webhooks?.start({ client, runtime, signal, ask })
  const stop = async () => {
    await Promise.all([engine.ended(), webhooks?.ended()])
    life.stop()
    await debug.close()
    await dump.close()
    await recording.close()
    await preparation.close()
  }
  const state: ShownState = { hookMetrics: () => effects.metrics.render(), queues: () => queuesAsText(engine.queues) }
  const ready = Promise.all([engine.ready, registered, conducted?.ready]).then(() => undefined)
  return { ready, stop, state }
}

function webhooksOf(
  hooks: readonly Hook[],
  { webhooks }: ScriptsOptions,
  { log }: Pick<Runtime, 'log'>,
): Webhooks | undefined {
  if (webhooks !== undefined) return new Webhooks(hooks, webhooks)
  warnOfDeaf(hooks, { log })
  return undefined
}

function warnOfDeaf(hooks: readonly Hook[], { log }: Pick<Runtime, 'log'>): void {
  const deaf = hooks.filter(({ config: { validating, mutating, conversions } }) =>
    [validating, mutating, conversions].some(({ length }) => length > 0),
  )
  for (const { name } of deaf) log.warn('hook is never asked by the API server: nothing listens for it', { hook: name })
}

async function prepare(
  options: ScriptsOptions,
  preparation: Preparation,
  { runtime, signal }: ScriptsContext,
  conduct: () => ReturnType<MakeConductor> | undefined,
) {
  // Whoever stops while hooks are asked does not wait for them, and threads of those that are functions would keep the process from ending.
  const stop = () => void preparation.close()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const conductor = await conduct()
    const more = conductor?.files ?? []
    const loaded = await preparation.hooks(more)
    const names = new Set(more.map(({ name }) => name))
    const hooks = loaded.filter(({ name }) => !names.has(name))
    const later = loaded.filter(({ name }) => names.has(name))
    // The API server asks only hooks that are always there.
    warnOfDeaf(later, runtime)
    return { conductor, hooks, later, webhooks: webhooksOf(hooks, options, runtime) }
  } catch (error) {
    await preparation.close()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
