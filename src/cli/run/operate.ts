/** The operator in this process, from the connection to the end: what commands that start it share. */
import { hostname } from 'node:os'
import type { KubeClient } from '../../kube/client/client.ts'
import { install } from '../../operator/install.ts'
import { startOperator } from '../../operator/operator.ts'
import type { OperatorSettings } from '../../operator/settings.ts'
import type { Surface } from '../../operator/surface.ts'
import type { Timer } from '../../runtime/clock.ts'
import { createRealRuntime, type RealRuntimeOptions } from '../../runtime/real/index.ts'
import { collectGarbage, growHeapWhileBusy } from '../../runtime/real/memory.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type ClusterOptions, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { exportTraces } from './traces.ts'

export interface Operation {
  readonly settings: OperatorSettings
  readonly cluster: ClusterOptions
  readonly log: NonNullable<RealRuntimeOptions['log']>
  /** Hooks are programs. */
  readonly hasPrograms: boolean
  /** Puts what surfaces need into the cluster first. */
  readonly install: boolean
  /** `podNamespace`: where namespaced work is done unless told otherwise; in a pod its own. */
  surfaces(runtime: Runtime, podNamespace: string): Promise<readonly Surface[]>
}

/** Milliseconds after which everything that was found at the start has been worked on once. */
const settleTime = 10_000

export async function operate(context: CliContext, operation: Operation): Promise<void> {
  const runtime = createRealRuntime({ log: operation.log })
  // Surfaces wait for it later, but it takes its time, and beside this thread.
  if (operation.hasPrograms) void runtime.processes.warmUp()
  const stopTraces = await exportTraces(runtime)
  try {
    await work(context, operation, runtime)
  } finally {
    if (!(await stopTraces())) context.leave()
    await runtime.close()
  }
}

async function work(context: CliContext, operation: Operation, runtime: Runtime): Promise<void> {
  const { settings } = operation
  const cluster = await connectCluster({ ...context, runtime }, operation.cluster, {
    qps: settings.requestsPerSecond,
    burst: settings.requestBurst,
  })
  const over = new AbortController()
  let tidying: Timer | undefined
  let stopGrowing: (() => void) | undefined
  try {
    const surfaces = await operation.surfaces(runtime, cluster.namespace)
    const signal = AbortSignal.any([context.signal, over.signal])
    await Promise.all(surfaces.map(async (surface) => surface.prepare?.({ runtime, signal })))
    const version = await versionOf(cluster.client, context.signal)
    if (version === undefined) return
    if (operation.install) await install(cluster.client, runtime, surfaces, context.signal)
    const identity = `${hostname()}_${runtime.random.uuid()}`
    const operator = await startOperator(
      { runtime, client: cluster.client, settings, surfaces, identity },
      context.signal,
    )
    void operator.ready.then(() => {
      const names = surfaces.map(({ name }) => name).join(', ') || 'none'
      context.stdout.write(
        `carabiner is ready: cluster ${cluster.name} (${version}), surfaces ${names}, http://${settings.listenAddress}:${operator.port}/metrics\n`,
      )
      tidying = runtime.clock.after(settleTime, () => {
        collectGarbage()
        stopGrowing = growHeapWhileBusy()
      })
    })
    await operator.ended
  } finally {
    over.abort()
    tidying?.cancel()
    stopGrowing?.()
    await cluster.close()
  }
}

/** Undefined when nobody wants to know any more: a server may take its time. */
async function versionOf(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { gitVersion } = (await client.raw('GET', '/version', undefined, signal)) as { readonly gitVersion: string }
    return gitVersion
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
