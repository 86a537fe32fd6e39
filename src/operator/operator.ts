/**
 * The operator: one process that serves health and metrics, takes part in leadership, and runs the surfaces while it leads. It knows
 * plugs, not surfaces, and ends in order: surfaces first, then the lease, then HTTP.
 */
import type { KubeClient } from '../kube/client/client.ts'
import { createLeadership } from '../kube/lease/leadership.ts'
import type { Lease } from '../kube/lease/lease.ts'
import { resources } from '../kube/types.ts'
import type { HttpHandler } from '../runtime/http.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { operatorHandler } from './http.ts'
import type { OperatorSettings } from './settings.ts'
import type { RunningSurface, Surface } from './surface.ts'

export interface OperatorOptions {
  readonly runtime: Runtime
  readonly client: KubeClient
  readonly settings: OperatorSettings
  readonly surfaces: readonly Surface[]
  /** Who holds the lease; unique among replicas. */
  readonly identity: string
}

export interface RunningOperator {
  /** Port of health, readiness and metrics. */
  readonly port: number
  /** Resolves once this process leads and every surface works. */
  readonly ready: Promise<void>
  /** Resolves when everything has ended; rejects when a surface could not be started. */
  readonly ended: Promise<void>
}

/** Starts the operator; it runs until `signal` aborts. */
export async function startOperator(options: OperatorOptions, signal: AbortSignal): Promise<RunningOperator> {
  const { runtime, client, settings, surfaces } = options
  let waitingFor: string | undefined = 'the surfaces'
  const handlers = new Map<string, HttpHandler>()
  for (const { name, handler } of surfaces) if (handler !== undefined) handlers.set(name, handler)
  const routes = new Map(surfaces.flatMap((surface) => [...(surface.routes ?? [])]))
  const listener = await runtime.http.listen(
    { host: settings.listenAddress, port: settings.listenPort },
    operatorHandler({ waitingFor: () => waitingFor }, runtime.metrics, handlers, routes, () =>
      surfaces.map((surface) => surface.moreMetrics?.() ?? '').join(''),
    ),
  )
  let becomeReady = () => {}
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve
  })
  const work = async (working: AbortSignal) => {
    waitingFor = 'the surfaces'
    await runSurfaces(options, working, () => {
      waitingFor = undefined
      becomeReady()
    })
    waitingFor = undefined
  }
  const serving: Pick<RunningSurface, 'stop'>[] = []
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
      if (served !== undefined) serving.push(served)
    }
  } catch (error) {
    await stopSurfaces(runtime, serving, settings.shutdownSeconds)
    await listener.close()
    throw error
  }
  // Whoever stands by is as ready as it can be.
  if (settings.leaderElection) waitingFor = undefined
  return { port: listener.port, ready, ended: ended() }
}

async function lead(
  options: OperatorOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { runtime, client, settings, identity } = options
  if (!settings.leaderElection) return work(signal)
  const leadership = createLeadership(client.of<Lease>(resources.leases), runtime, {
    namespace: settings.leaseNamespace,
    name: settings.leaseName,
    identity,
  })
  await leadership.run(work, signal)
}

async function runSurfaces(options: OperatorOptions, signal: AbortSignal, ready: () => void): Promise<void> {
  const { runtime, client, settings, surfaces } = options
  const running: RunningSurface[] = []
  try {
    for (const surface of surfaces) {
      running.push(await surface.start({ client: client.surface(surface.name), runtime, signal }))
    }
    // Whoever is stopped while it begins may never become ready.
    await Promise.race([Promise.all(running.map((surface) => surface.ready)), aborted(signal)])
    if (!signal.aborted) ready()
    await aborted(signal)
  } finally {
    // Whoever waits for the end must know that it has begun: what runs is given its time.
    if (signal.aborted) runtime.log.info('stopping', { atMostSeconds: settings.shutdownSeconds })
    await stopSurfaces(runtime, running, settings.shutdownSeconds)
  }
}

/** In reverse order, each with what is left of the time; one that hangs or fails does not keep the others from stopping. */
async function stopSurfaces(
  runtime: Runtime,
  running: readonly Pick<RunningSurface, 'stop'>[],
  seconds: number,
): Promise<void> {
  const deadline = runtime.clock.monotonic() + seconds * 1000
  for (const surface of running.toReversed()) {
    const patience = new AbortController()
    const late = runtime.clock
      .sleep(deadline - runtime.clock.monotonic(), patience.signal)
      .then(() => runtime.log.warn('a surface does not stop in time and is left behind'))
      .catch(() => undefined)
    await Promise.race([surface.stop(), late]).catch((error: unknown) =>
      runtime.log.error('surface did not stop', { error }),
    )
    patience.abort()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
