/**
 * The controller of one deployer: it reconciles items when they change and when a requeue is due. Runs that wait do not block other items.
 */
import { type ReconcileResult, runController, type Source, source } from '../../kube/controller/index.ts'
import { keyOf } from '../../kube/index.ts'
import { operations } from '../resources/annotations.ts'
import type { DeployItem } from '../resources/types.ts'
import { ItemCancellation } from './cancellation.ts'
import type { Deployer } from './deployer.ts'
import { reconcileItem } from './flow.ts'
import type { FlowResult } from './flow-result.ts'
import { countItems } from './metrics.ts'
import { operationOf } from './phases.ts'
import type { DeployerInfo } from './preparation.ts'
import { awaitedBy } from './references.ts'
import { Requeues } from './requeues.ts'
import { RunOwnership } from './run-ownership.ts'
import { Slots } from './slots.ts'
import { type CompiledDeployer, compileDeployer, type DeployerOptions, type DeployerWorld } from './world.ts'

/** A running deployer as `GET /deployers/` shows it. */
export type DeployerDescription = DeployerInfo & Pick<CompiledDeployer, 'type' | 'targetSelectors' | 'deletionFirst'>

export interface DeployerController {
  readonly description: DeployerDescription
  /** Reconciles one item once. */
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined>
  /** Runs until `signal` aborts and the runs under way have ended. The caches must be running. */
  run(signal: AbortSignal): Promise<void>
}

/** Practically unlimited, because a waiting run costs little; `workers` limits the runs that work. */
const maxConcurrentRuns = 100_000

export function createDeployerController(
  world: DeployerWorld,
  deployer: Deployer,
  options: DeployerOptions = {},
): DeployerController {
  const { runtime, caches } = world
  const compiled = compileDeployer(deployer, runtime, options)
  const requeues = new Requeues()
  const ownership = new RunOwnership(runtime.clock.now())
  const slots = new Slots(runtime.clock, compiled.workers)
  const active = new Map<string, ItemCancellation>()
  const log = runtime.log.with({ deployer: deployer.name })

  async function reconcileOnce(key: string, signal: AbortSignal): Promise<FlowResult> {
    const cancellation = new ItemCancellation()
    active.set(key, cancellation)
    try {
      // A separate signal, because many listeners on one signal cause Node's leak warning.
      return await reconcileItem({ world, compiled, ownership }, key, AbortSignal.any([signal]), cancellation)
    } catch (error) {
      if (signal.aborted) throw error
      // Only logged: the item could not be read, or a hook before the responsibility check failed.
      log.warn('item not reconciled', { item: key, error })
      return { requeue: false, requeueAfterMs: 0, version: caches.items.get(key)?.metadata.resourceVersion, error }
    } finally {
      active.delete(key)
    }
  }

  async function reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const version = caches.items.get(key)?.metadata.resourceVersion
    if (version === undefined) {
      requeues.forget(key)
      ownership.forget(key)
      return undefined
    }
    const due = requeues.due(key, version, runtime.clock.now())
    if (due === 'later') return undefined
    if (due !== 'now') return { requeueAfterMs: due }
    const end = await slots.use(() => reconcileOnce(key, signal))
    const after = requeues.record(key, end, runtime.clock.now())
    return after === undefined ? undefined : { requeueAfterMs: after }
  }

  const sources = sourcesOf(world, compiled, requeues)
  const { info, type, targetSelectors, deletionFirst } = compiled
  return {
    description: { ...info, type, targetSelectors, deletionFirst },
    reconcile,
    async run(signal) {
      const stop = caches.items.subscribe((change) => {
        if (change.type !== 'deleted' && isAborted(change.value)) active.get(change.key)?.cancel()
      })
      const stopCounting = countItems(caches.items, runtime.metrics, compiled.type)
      try {
        await runController({
          name: deployer.name,
          runtime,
          sources,
          reconcile,
          concurrency: maxConcurrentRuns,
          signal,
        })
      } finally {
        stopCounting()
        stop()
      }
    },
  }
}

function sourcesOf(
  { caches, hooks }: DeployerWorld,
  { type, watchAllTypes }: CompiledDeployer,
  requeues: Requeues,
): readonly Source[] {
  const isWatched = ({ spec }: DeployItem) => watchAllTypes || spec.type === type
  /** A new Target or Context ends the back-off of the items that failed without it. */
  const wake = (index: 'target' | 'context') => (_: unknown, name: string) =>
    caches.items
      .by(index, name)
      .filter(isWatched)
      .map((item) => {
        const key = keyOf(item)
        if (requeues.hasFailed(key) || awaitedBy(item) !== undefined) requeues.forget(key)
        return key
      })
  /** A hook of the item may wait for the Job that has changed. */
  const jobSource = ({ synced, feed }: Source): Source => ({
    synced,
    feed: (add) =>
      feed((key) => {
        const item = caches.items.get(key)
        if (item === undefined || !isWatched(item)) return
        requeues.wake(key)
        add(key)
      }),
  })
  return [
    source(caches.items, (item, key) => (isWatched(item) ? [key] : [])),
    source(caches.targets, wake('target')),
    source(caches.contexts, wake('context')),
    ...(hooks?.changes === undefined ? [] : [jobSource(hooks.changes)]),
  ]
}

function isAborted(item: DeployItem): boolean {
  return operationOf(item) === operations.abort
}
