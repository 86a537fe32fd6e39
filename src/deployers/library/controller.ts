/**
 * The loop around the flow for one deployer: caches tell which item may have something to do, and each item is looked at when it changed
 * or asked to be. Runs that wait never keep others from beginning.
 */
import { type Again, runController } from '../../kube/controller/controller.ts'
import { type Source, source } from '../../kube/controller/source.ts'
import { keyOf } from '../../kube/object.ts'
import { createWorkQueue } from '../../kube/queue/workqueue.ts'
import type { DeployItem } from '../resources/types.ts'
import { operations } from '../resources/words.ts'
import { Cancellation } from './cancellation.ts'
import type { Deployer } from './deployer.ts'
import { reconcileItem } from './flow.ts'
import type { FlowEnd } from './flow-end.ts'
import { Looks } from './looks.ts'
import { operationOf } from './phases.ts'
import type { DeployerInfo } from './preparation.ts'
import { Runs } from './runs.ts'
import { Slots } from './slots.ts'
import { type CompiledDeployer, compileDeployer, type DeployerOptions, type DeployerWorld } from './world.ts'

/** What a running deployer is, for those who ask whose an item is. */
export type DeployerDescription = DeployerInfo & Pick<CompiledDeployer, 'type' | 'targetSelectors' | 'deletionFirst'>

export interface DeployerController {
  readonly description: DeployerDescription
  /** One look at one item; what the loop does. */
  reconcile(key: string, signal: AbortSignal): Promise<Again | undefined>
  /** Runs until `signal` aborts and the work in hand has ended. The caches must be running. */
  run(signal: AbortSignal): Promise<void>
}

/** Waiting costs nothing here; places are what bounds the work. */
const mostRuns = 100_000

export function createDeployerController(
  world: DeployerWorld,
  deployer: Deployer,
  options: DeployerOptions = {},
): DeployerController {
  const { runtime, caches } = world
  const compiled = compileDeployer(deployer, runtime, options)
  const looks = new Looks()
  const runs = new Runs(runtime.clock.now())
  const slots = new Slots(runtime.clock, compiled.workers)
  const active = new Map<string, Cancellation>()
  const queue = createWorkQueue(runtime, { name: deployer.name })
  const log = runtime.log.with({ deployer: deployer.name })

  async function look(key: string, signal: AbortSignal): Promise<FlowEnd> {
    const cancellation = new Cancellation()
    active.set(key, cancellation)
    try {
      // A signal of its own: many runs listening to one look like a leak.
      return await reconcileItem(world, compiled, key, AbortSignal.any([signal]), cancellation, runs)
    } catch (error) {
      if (signal.aborted) throw error
      // Told to nobody but the log: the item could not be read, or a hook in front of it failed.
      log.warn('item not reconciled', { item: key, error })
      return { requeue: false, requeueAfterMs: 0, version: caches.items.get(key)?.metadata.resourceVersion, error }
    } finally {
      active.delete(key)
    }
  }

  async function reconcile(key: string, signal: AbortSignal): Promise<Again | undefined> {
    const version = caches.items.get(key)?.metadata.resourceVersion
    if (version === undefined) {
      looks.forget(key)
      runs.forget(key)
      return undefined
    }
    const due = looks.due(key, version, runtime.clock.now())
    if (due === 'later') return undefined
    if (due !== 'now') return { after: due }
    const end = await slots.use(() => look(key, signal))
    const after = looks.note(key, end, runtime.clock.now())
    return after === undefined ? undefined : { after }
  }

  const isWatched = ({ spec }: DeployItem) => compiled.watchAllTypes || spec.type === compiled.type

  /** Whoever waits for a target or context that has come is looked at without a pause. */
  const wake = (index: 'target' | 'context') => (_: unknown, name: string) => {
    const keys = caches.items.by(index, name).filter(isWatched).map(keyOf)
    for (const key of keys) if (looks.hasFailed(key)) looks.forget(key)
    return keys
  }

  const sources: readonly Source[] = [
    source(caches.items, (item, key) => (isWatched(item) ? [key] : [])),
    source(caches.targets, wake('target')),
    source(caches.contexts, wake('context')),
  ]

  const { info, type, targetSelectors, deletionFirst } = compiled
  return {
    description: { ...info, type, targetSelectors, deletionFirst },
    reconcile,
    async run(signal) {
      const stop = caches.items.subscribe((change) => {
        if (change.type !== 'deleted' && isAborted(change.value)) active.get(change.key)?.cancel()
      })
      try {
        await runController({ name: deployer.name, runtime, queue, sources, reconcile, concurrency: mostRuns, signal })
      } finally {
        stop()
      }
    },
  }
}

function isAborted(item: DeployItem): boolean {
  return operationOf(item) === operations.abort
}
