/**
 * One reconcile of one item: the steps of the contract in their order, with hooks at their exact places. Each step is a function of its
 * own elsewhere; here is only what comes after what, and what a hook's answer changes.
 */
import { type Aggregated, defaultResult, merge } from '../hooks/aggregate.ts'
import { executeHooks } from '../hooks/execute.ts'
import type { HookArguments, HookResult, HookType } from '../hooks/registry.ts'
import { type DeployItem, landscaperResources, type Target } from '../resources/types.ts'
import { annotations } from '../resources/words.ts'
import { branchOf, hookBefore, operationNames } from './branch.ts'
import type { Cancellation } from './cancellation.ts'
import { recordError } from './failure.ts'
import type { FlowEnd } from './flow-end.ts'
import { ItemWriter } from './item-writer.ts'
import { isAtWork, isFinal, isMarked } from './phases.ts'
import { prepare, preparedStatus } from './preparation.ts'
import { targetOf } from './references.ts'
import { judgeResponsibility } from './responsibility.ts'
import { runBranch } from './run-branch.ts'
import type { Runs } from './runs.ts'
import type { CompiledDeployer, DeployerWorld } from './world.ts'

/** At once, whatever was seen of it. */
const lookAgain: FlowEnd = { requeue: false, requeueAfterMs: 1, version: undefined }
const nothing: FlowEnd = { requeue: false, requeueAfterMs: 0, version: undefined }

/** `signal` aborts at shutdown; `cancellation` is how the run is told that the item shall be aborted. */
export async function reconcileItem(
  world: DeployerWorld,
  compiled: CompiledDeployer,
  key: string,
  signal: AbortSignal,
  cancellation: Cancellation,
  runs: Runs,
): Promise<FlowEnd> {
  const { runtime, caches } = world
  const { deployer } = compiled
  const log = runtime.log.with({ deployer: deployer.name, item: key })
  let running = defaultResult
  const fire = async (type: HookType, item?: DeployItem, target?: Target): Promise<Aggregated | undefined> => {
    const given = { type, deployItem: item, target, log, signal, now: runtime.clock.now() } as HookArguments
    return await executeHooks(deployer.hooks, given)
  }
  const add = (result: HookResult | undefined): void => {
    if (result !== undefined) running = merge(running, result, false)
  }

  add(await fire('Start'))
  if (running.abortReconcile) return ended(running, { version: caches.items.get(key)?.metadata.resourceVersion })

  const item = caches.items.get(key)
  if (item === undefined || (isMarked(item, annotations.ignore) && isFinal(item.status?.phase)))
    return { ...nothing, version: item?.metadata.resourceVersion }

  const judged = judgeResponsibility(compiled, item, await targetOf(world, item, compiled.type))
  const { target } = judged
  const opinion = await fire('DuringResponsibilityCheck', item, target)
  add(opinion)
  const isResponsible = opinion === undefined ? judged.isResponsible : !opinion.abortReconcile
  log.debug('responsibility', { isResponsible, why: opinion === undefined ? judged.why : 'a hook decided' })
  if (!isResponsible) return ended(running, { version: item.metadata.resourceVersion })

  const writer = new ItemWriter(world.client.of<DeployItem>(landscaperResources.deployItems), item, signal)
  const begin = async () => {
    await writer.writeStatus(preparedStatus(writer.item, compiled.info, runtime.clock.now()))
    runs.take(key, writer.item)
  }
  // What an error is told under; nothing while the item is only read and prepared.
  let operation: string | undefined = 'Hooks'
  try {
    add(await fire('AfterResponsibilityCheck', item, target))
    if (running.abortReconcile) return ended(running, { version: item.metadata.resourceVersion })

    operation = undefined
    const { because, usedUp } = prepare(item)
    if (because === undefined && isAtWork(item.status?.phase)) {
      const patience = runs.patienceWith(key, item, runtime.clock.now())
      if (patience > 0) return { ...nothing, requeueAfterMs: patience, version: item.metadata.resourceVersion }
      runs.take(key, item)
    }
    // The status first, then the annotations, each only when there is something to write.
    if (because !== undefined) await begin()
    await writer.writeMetadata({ remove: usedUp })
    operation = 'Hooks'

    const isNeeded = isAtWork(writer.item.status?.phase)
    const wish = await fire('ShouldReconcile', writer.item, target)
    add(wish)
    if (!isNeeded) {
      if (wish === undefined || wish.abortReconcile) return ended(running, writer)
      await begin()
    }
    running = { ...running, abortReconcile: false }

    add(await fire('BeforeAnyReconcile', writer.item, target))
    if (running.abortReconcile) return ended(running, writer)

    const branch = branchOf(writer.item, compiled.deletionFirst)
    operation = operationNames[branch]
    add(await fire(hookBefore[branch], writer.item, target))
    if (running.abortReconcile) return ended(running, writer)

    const outcome = await runBranch({ world, compiled, writer, target, log, signal, cancellation }, branch)
    if (outcome.wait !== undefined) add({ reconcileResult: { requeueAfterMs: outcome.wait } })
    if (outcome.interrupted) return lookAgain

    operation = 'Hooks'
    add(await fire('End', writer.item, target))
    return ended(running, writer)
  } catch (error) {
    return await recordError({ world, compiled, writer, log, signal }, error, operation)
  }
}

function ended(
  { reconcileResult }: Aggregated,
  seen: { readonly version: string | undefined; readonly item?: DeployItem },
): FlowEnd {
  // An item that was aborted on its way to deletion has to be begun with again, and nobody else would.
  if (seen.item !== undefined && prepare(seen.item).because !== undefined) return lookAgain
  return { ...reconcileResult, version: seen.version }
}
