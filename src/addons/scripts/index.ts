/** Public API of script hooks: a folder of executables that run on startup, on schedules and on events in the cluster. */

import type { RunMemory } from '../../hooks/index.ts'
import type { KubeClient } from '../../kube/index.ts'
import type { Runtime } from '../../runtime/index.ts'
import { serveDebug } from './debug/serve.ts'
import { Engine } from './engine/engine.ts'
import type { ModuleHost } from './engine/module-host.ts'
import { startHeartbeat } from './heartbeat.ts'
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
export type { EngineControl, ModuleHost } from './engine/module-host.ts'
export type { QueueJob, RunOutcome } from './engine/queue-job.ts'
export type { ScriptsOptions } from './options.ts'
export type { ServerPlace, WebhookOptions } from './webhooks/servers.ts'

export interface ScriptsContext {
  readonly client: KubeClient
  readonly runtime: Runtime
  readonly signal: AbortSignal
  /** The latest runs of every surface of this process. @default a memory of its own */
  readonly runs?: RunMemory
}

/** The dependencies of a module host. */
export interface ModuleHostContext extends ScriptsContext {
  /** The environment of hooks. */
  readonly env: Readonly<Record<string, string>>
  /** The prefix of built-in metrics. */
  readonly metricsPrefix: string
}

export type CreateModuleHost = (context: ModuleHostContext) => Promise<ModuleHost>

/** shell-operator waits 3 s; the delay grows while a hook keeps failing. */
const defaultRetry = { backoff: 3000, maxBackoff: 32_000 }

/** The operator surface. Without `createHost` there are only the hooks present at startup, and they have no values. */
export function scriptsSurface(options: ScriptsOptions, createHost?: CreateModuleHost) {
  const shown: { state?: ShownState } = {}
  let preparing: Preparation | undefined
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
    /** Starts loading hooks before the cluster is connected; resolves when loading has begun. */
    async prepare({ runtime, signal }: Pick<ScriptsContext, 'runtime' | 'signal'>) {
      // After an early stop no worker thread may start, because it would keep the process alive.
      if (signal.aborted) return
      const begun = new Preparation(options, runtime)
      preparing = begun
      // A preparation that `start` never takes over must be closed here.
      signal.addEventListener('abort', () => void (preparing === begun && begun.close()), { once: true })
      await begun.loading
    },
    async start(context: ScriptsContext) {
      const preparation = preparing ?? new Preparation(options, context.runtime)
      preparing = undefined
      const running = await startScripts(options, preparation, context, createHost)
      shown.state = running.state
      return { ready: running.ready, stop: running.stop }
    },
  }
}

async function startScripts(
  options: ScriptsOptions,
  preparation: Preparation,
  context: ScriptsContext,
  createHost: CreateModuleHost | undefined,
) {
  const { client, runtime, signal } = context
  const { retry = defaultRetry, queueFiles = [], timeout } = options
  const { env, runner, metrics, metricsPrefix } = preparation
  const { host, hooks, moduleHooks, webhooks } = await prepare(options, preparation, context, () =>
    createHost?.({ ...context, env, metricsPrefix }),
  )
  const effects = { metrics: new HookMetrics(), patcher: new ObjectPatcher(client, runtime) }
  const dump = new DumpFiles(runtime, queueFiles, () => queuesAsText(engine.queues))
  const recording = recordingOf(options.watch === true ? {} : options, [...hooks, ...moduleHooks], context)
  const engine = new Engine({
    recorder: recording.recorder,
    hooks,
    client,
    runtime,
    metrics,
    retry,
    signal,
    ...(timeout === undefined ? {} : { timeout }),
    changed: () => dump.changed(),
    runs: {
      run: (request) => runner.run(host === undefined ? request : { ...request, values: host.valuesFor(request.hook) }),
      apply: async (hook, result, why) => {
        const { failure: _, ...rest } = result
        const failure = await applyEffects(effects, result, { hook: hook.name }, signal)
        if (failure !== undefined) return { ...rest, failure }
        if (host === undefined) return rest
        const refusal = await keepValues(rest, (patches) => host.applyValuesPatches(hook, patches, why))
        return refusal === undefined ? rest : { ...rest, failure: refusal }
      },
    },
  })
  const heartbeat = startHeartbeat(runtime, metrics, engine)
  const debug = await serveDebug(options.debug ?? [], engine, runtime, {
    more: host?.debug,
    runs: recording.memory,
  })
  engine.start()
  const reloader = await preparation.reloader(engine, hooks)
  const startedHost = host?.start(engine, [...hooks, ...moduleHooks])
  const ask: AskHook = (hook, review) => engine.review(hook, review)
  const registered = webhooks?.start({ client, runtime, signal, ask })
  const stop = async () => {
    await reloader?.close()
    await Promise.all([engine.ended(), webhooks?.ended()])
    heartbeat.stop()
    await debug.close()
    await dump.close()
    await recording.close()
    await preparation.close()
  }
  const state: ShownState = { hookMetrics: () => effects.metrics.render(), queues: () => queuesAsText(engine.queues) }
  const ready = Promise.all([engine.ready, registered, startedHost?.ready]).then(() => undefined)
  return { ready, stop, state }
}

function webhooksOf(
  hooks: readonly Hook[],
  { webhooks }: ScriptsOptions,
  { log }: Pick<Runtime, 'log'>,
): Webhooks | undefined {
  if (webhooks !== undefined) return new Webhooks(hooks, webhooks)
  warnAboutUnservedWebhooks(hooks, { log })
  return undefined
}

function warnAboutUnservedWebhooks(hooks: readonly Hook[], { log }: Pick<Runtime, 'log'>): void {
  const unserved = hooks.filter(({ config: { validating, mutating, conversions } }) =>
    [validating, mutating, conversions].some(({ length }) => length > 0),
  )
  for (const { name } of unserved)
    log.warn('hook never gets requests of the API server: no webhook server is configured for it', { hook: name })
}

async function prepare(
  options: ScriptsOptions,
  preparation: Preparation,
  { runtime, signal }: ScriptsContext,
  create: () => ReturnType<CreateModuleHost> | undefined,
) {
  // On a stop while hooks are loading, do not wait for them, and end worker threads, which would keep the process alive.
  const stop = () => void preparation.close()
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const host = await create()
    const more = host?.files ?? []
    const loaded = await preparation.hooks(more)
    const names = new Set(more.map(({ name }) => name))
    const hooks = loaded.filter(({ name }) => !names.has(name))
    const moduleHooks = loaded.filter(({ name }) => names.has(name))
    // Hooks of modules come and go, so webhooks are not registered for them.
    warnAboutUnservedWebhooks(moduleHooks, runtime)
    return { host, hooks, moduleHooks, webhooks: webhooksOf(hooks, options, runtime) }
  } catch (error) {
    await preparation.close()
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export { Fields } from './config/fields.ts'
export { Findings, shown } from './config/findings.ts'
export { type InvalidHook, invalidHooks, loadHooks } from './config/load.ts'
export type { HookConfig, KubernetesBinding, WatchEvent } from './config/types.ts'
export type { Cause } from './contexts/cause.ts'
export { bindingContexts } from './contexts/contexts.ts'
export { textOf } from './contexts/json-pieces.ts'
export { Snapshots } from './contexts/snapshots.ts'
export { type ShownBinding, type ShownHook, showHook } from './debug/hooks.ts'
export { discoverHooks } from './discovery/discover.ts'
export { Engine } from './engine/engine.ts'
export { EngineMetrics } from './engine/metrics.ts'
export { hookEnvironment } from './environment.ts'
export type { Hook } from './hook.ts'
export { findHookName, isHookName } from './hook-names.ts'
export type { MetricOperation } from './metrics/operation.ts'
export { HookMetrics } from './metrics/registry.ts'
export type { ObjectOperation } from './patches/operation.ts'
export { ObjectPatcher } from './patches/patcher.ts'
export { FolderChanges, stateOf } from './reload/folder-changes.ts'
export { applyEffects } from './run/effects.ts'
export { failed } from './run/result.ts'
export { HookRunner } from './run/runner.ts'
export type { RunRequest, RunResult } from './run/types.ts'
export type { SeenObject } from './watching/monitor.ts'
export { projection } from './watching/projection.ts'
export { admissionAnswer, conversionAnswer } from './webhooks/answers.ts'
