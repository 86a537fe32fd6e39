/** Runs the operator in this process, from the connection to the shutdown: shared by all commands that start it. */
import { hostname } from 'node:os'
import type { KubeClient, KubeObject } from '../../kube/index.ts'
import { applyAll, type OperatorSettings, type Surface, startOperator } from '../../operator/index.ts'
import type { Runtime, Timer } from '../../runtime/index.ts'
import { collectGarbage, growHeapWhileBusy } from '../../runtime/memory/index.ts'
import { createRealRuntime, type RealRuntimeOptions } from '../../runtime/real/index.ts'
import { type ClusterOptions, type ConnectedCluster, connectCluster } from '../cluster.ts'
import type { CliContext } from '../context.ts'
import { programVersion } from '../program-version.ts'
import { appliedLine } from './applied.ts'
import { exportTraces } from './traces.ts'

export interface Operation {
  readonly settings: OperatorSettings
  readonly cluster: ClusterOptions
  readonly log: NonNullable<RealRuntimeOptions['log']>
  /** Whether hooks are programs, so that pipes for processes are created early. */
  readonly hasPrograms: boolean
  /** Whether the objects of the surfaces are installed first. */
  readonly install: boolean
  /** The surface for rollouts; it depends on the user of the connection. @default no rollouts */
  rollouts?(cluster: ConnectedCluster, runtime: Runtime): Promise<Surface>
  /** All other surfaces. `podNamespace`: the namespace of the pod, or the default namespace of the context. */
  surfaces(runtime: Runtime, podNamespace: string): Promise<readonly Surface[]>
}

/** The time after which all objects found at the start have been reconciled once. */
const initialWorkMs = 10_000

export async function operate(context: CliContext, operation: Operation): Promise<void> {
  const runtime = createRealRuntime({ log: operation.log })
  // Not awaited here: it runs in the background, and surfaces wait for it later.
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
  const ending = new AbortController()
  let heapTimer: Timer | undefined
  let stopGrowing: (() => void) | undefined
  try {
    const others = await operation.surfaces(runtime, cluster.namespace)
    const signal = AbortSignal.any([context.signal, ending.signal])
    await Promise.all(others.map(async (surface) => surface.prepare?.({ runtime, signal })))
    const version = await versionOf(cluster.client, context.signal)
    if (version === undefined) return
    const rollouts = await operation.rollouts?.(cluster, runtime)
    const surfaces = rollouts === undefined ? others : [rollouts, ...others]
    if (operation.install) {
      const objects = surfaces.flatMap(({ resources }) => resources)
      const onApplied = (object: KubeObject) => context.stdout.write(`${appliedLine(object)}\n`)
      await applyAll(cluster.client, runtime, objects, { signal: context.signal, onApplied })
    }
    const identity = `${hostname()}_${runtime.random.uuid()}`
    const operator = await startOperator(
      { runtime, client: cluster.client, settings, surfaces, identity, version: programVersion() },
      context.signal,
    )
    void operator.ready.then(() => {
      const names = surfaces.map(({ name }) => name).join(', ') || 'none'
      context.stdout.write(
        `carabiner is ready: cluster ${cluster.name} (${version}), surfaces ${names}, http://${settings.listenAddress}:${operator.port}/metrics\n`,
      )
      heapTimer = runtime.clock.after(initialWorkMs, () => {
        collectGarbage()
        stopGrowing = growHeapWhileBusy()
      })
    })
    await operator.ended
  } finally {
    ending.abort()
    heapTimer?.cancel()
    stopGrowing?.()
    await cluster.close()
  }
}

/** Undefined when the operator was interrupted meanwhile. */
async function versionOf(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { gitVersion } = (await client.raw('GET', '/version', undefined, signal)) as { readonly gitVersion: string }
    return gitVersion
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
