/**
 * The operator: one process that serves health and metrics, takes part in leader election, and runs the surfaces while it is leader.
 * It shuts down in order: surfaces first, then the Lease, then HTTP.
 */
import { RunMemory } from '../hooks/index.ts'
import { createLeadership, type KubeClient } from '../kube/index.ts'
import { resources } from '../kube/kinds/index.ts'
import type { HttpHandler, Runtime } from '../runtime/index.ts'
import { operatorHandler } from './http.ts'
import { leaseMetadata } from './lease-metadata.ts'
import { runsHandler } from './runs.ts'
import type { OperatorSettings } from './settings.ts'
import type { RunningSurface, Surface } from './surface.ts'

export interface OperatorOptions {
  readonly runtime: Runtime
  readonly client: KubeClient
  readonly settings: OperatorSettings
  readonly surfaces: readonly Surface[]
  /** The holder identity in the Lease; unique among replicas. */
  readonly identity: string
  /** The version of the program; the Lease names it. */
  readonly version?: string
}

export interface RunningOperator {
  /** Port of health, readiness and metrics. */
  readonly port: number
  /** Resolves once this process is leader and every surface is ready. */
  readonly ready: Promise<void>
  /** Resolves when everything has stopped; rejects when a surface could not be started. */
  readonly ended: Promise<void>
}

/** Starts the operator; it runs until `signal` aborts. */
export async function startOperator(options: OperatorOptions, signal: AbortSignal): Promise<RunningOperator> {
  const { runtime, client, settings, surfaces } = options
  let waitingFor: string | undefined = 'the surfaces'
  const runs = new RunMemory()
  const handlers = new Map<string, HttpHandler>([['runs', runsHandler(runs)]])
  for (const { name, handler } of surfaces) if (handler !== undefined) handlers.set(name, handler)
  const routes = new Map(surfaces.flatMap((surface) => [...(surface.routes ?? [])]))
  const listener = await runtime.http.listen(
    { host: settings.listenAddress, port: settings.listenPort, flag: '--listen-port' },
    operatorHandler({
      health: { waitingFor: () => waitingFor },
      metrics: runtime.metrics,
      surfaces: handlers,
      routes,
      moreMetrics: () => surfaces.map((surface) => surface.moreMetrics?.() ?? '').join(''),
    }),
  )
  let becomeReady = () => {}
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve
  })
  const work = async (working: AbortSignal) => {
    waitingFor = 'the surfaces'
    await runSurfaces({ ...options, runs }, working, () => {
      waitingFor = undefined
      becomeReady()
    })
    waitingFor = undefined
  }
  const serving: StoppableSurface[] = []
  const ended = async () => {
    try {
      await lead(options, work, signal)
    } finally {
      await stopSurfaces(runtime, serving, settings.shutdownSeconds)
      await listener.close()
    }
  }
  try {
    for (const surface of surfaces) {
      const served = await surface.serve?.({ client: client.surface(surface.name), runtime, signal })
      if (served !== undefined) serving.push({ name: surface.name, stop: () => served.stop() })
    }
  } catch (error) {
    await stopSurfaces(runtime, serving, settings.shutdownSeconds)
    await listener.close()
    throw error
  }
  // A replica that is not leader is ready, too: otherwise a Deployment with standby replicas never becomes available.
  if (settings.leaderElection) waitingFor = undefined
  return { port: listener.port, ready, ended: ended() }
}

async function lead(
  options: OperatorOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { runtime, client, settings, surfaces, identity, version = 'unknown' } = options
  if (!settings.leaderElection) return work(signal)
  const leadership = createLeadership(client.of(resources.leases), runtime, {
    namespace: settings.leaseNamespace,
    name: settings.leaseName,
    identity,
    about: leaseMetadata(
      version,
      surfaces.map(({ name }) => name),
    ),
  })
  await leadership.run(work, signal)
}

async function runSurfaces(
  options: OperatorOptions & { readonly runs: RunMemory },
  signal: AbortSignal,
  ready: () => void,
): Promise<void> {
  const { runtime, client, settings, surfaces, runs } = options
  const running: (RunningSurface & StoppableSurface)[] = []
  try {
    for (const surface of surfaces) {
      const started = await surface.start({ client: client.surface(surface.name), runtime, signal, runs })
      running.push({ name: surface.name, ready: started.ready, stop: () => started.stop() })
    }
    // A surface that is stopped during its start may never become ready.
    await Promise.race([Promise.all(running.map((surface) => surface.ready)), aborted(signal)])
    if (!signal.aborted) ready()
    await aborted(signal)
  } finally {
    // Logged at once, because running hooks may delay the end by up to `shutdownSeconds`.
    if (signal.aborted) runtime.log.info('stopping', { atMostSeconds: settings.shutdownSeconds })
    await stopSurfaces(runtime, running, settings.shutdownSeconds)
  }
}

interface StoppableSurface extends Pick<RunningSurface, 'stop'> {
  readonly name: string
}

/**
 * Stops the surfaces in reverse order. All of them share one deadline; a surface that hangs or fails does not keep the others from
 * stopping.
 */
async function stopSurfaces(runtime: Runtime, running: readonly StoppableSurface[], seconds: number): Promise<void> {
  const deadline = runtime.clock.monotonic() + seconds * 1000
  for (const { name, stop } of running.toReversed()) {
    const timeout = new AbortController()
    const timedOut = runtime.clock
      .sleep(deadline - runtime.clock.monotonic(), timeout.signal)
      .then(() =>
        runtime.log.warn('surface did not stop within shutdownSeconds; abandoning it', {
          surface: name,
          shutdownSeconds: seconds,
        }),
      )
      .catch(() => undefined)
    await Promise.race([stop(), timedOut]).catch((error: unknown) =>
      runtime.log.error('surface failed to stop', { surface: name, error }),
    )
    timeout.abort()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
