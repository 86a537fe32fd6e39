/** One reconcile of one item: the steps of the Landscaper contract in their order, with the hooks between them. */
import type { Logger } from '../../runtime/index.ts'
import { type Aggregated, defaultResult, merge } from '../hooks/aggregate.ts'
import { executeHooks } from '../hooks/execute.ts'
import type { HookArguments, HookResult, HookType } from '../hooks/registry.ts'
import { annotations } from '../resources/annotations.ts'
import { type DeployItem, landscaperResources, type Target } from '../resources/types.ts'
import { branchOf, hookBefore, operationNames } from './branch.ts'
import type { ItemCancellation } from './cancellation.ts'
import type { LandscaperError } from './errors.ts'
import { recordError } from './failure.ts'
import type { FlowResult } from './flow-result.ts'
import { ItemWriter } from './item-writer.ts'
import { isAtWork, isFinal, isMarked, isReleased } from './phases.ts'
import { prepare, preparedStatus } from './preparation.ts'
import { awaitedBy, hasContext, targetOf } from './references.ts'
import { isResponsibleWithoutTarget, judgeResponsibility } from './responsibility.ts'
import { releaseItem, runBranch } from './run-branch.ts'
import type { RunOwnership } from './run-ownership.ts'
import type { CompiledDeployer, DeployerWorld } from './world.ts'

/** Without a version, so that the item counts as changed. */
const requeueNow: FlowResult = { requeue: false, requeueAfterMs: 1, version: undefined }

export interface FlowDependencies {
  readonly world: DeployerWorld
  readonly compiled: CompiledDeployer
  readonly ownership: RunOwnership
}

/** `signal` aborts at shutdown; `cancellation` aborts the run when the item gets the abort annotation. */
export function reconcileItem(
  dependencies: FlowDependencies,
  key: string,
  signal: AbortSignal,
  cancellation: ItemCancellation,
): Promise<FlowResult> {
  return new Reconcile(dependencies, key, signal, cancellation).run()
}

interface Seen {
  readonly version: string | undefined
  readonly item?: DeployItem
}

class Reconcile {
  readonly #dependencies: FlowDependencies
  readonly #key: string
  readonly #signal: AbortSignal
  readonly #cancellation: ItemCancellation
  readonly #log: Logger
  #result = defaultResult
  /** The operation of an error; undefined while the item is only read and prepared. */
  #operation: string | undefined = 'Hooks'
  /** The item names a Target that does not exist. */
  #missingTarget: LandscaperError | undefined

  constructor(dependencies: FlowDependencies, key: string, signal: AbortSignal, cancellation: ItemCancellation) {
    this.#dependencies = dependencies
    this.#key = key
    this.#signal = signal
    this.#cancellation = cancellation
    const { world, compiled } = dependencies
    this.#log = world.runtime.log.with({ deployer: compiled.deployer.name, item: key })
  }

  async run(): Promise<FlowResult> {
    const { world, compiled } = this.#dependencies
    this.#add(await this.#fire('Start'))
    if (this.#result.abortReconcile) return this.#end(this.#seen(world.caches.items.get(this.#key)))

    const item = world.caches.items.get(this.#key)
    if (item !== undefined && isReleased(item) && item.spec.type === compiled.type) return await this.#release(item)
    if (item === undefined || (isMarked(item, annotations.ignore) && isFinal(item.status?.phase)))
      return { requeue: false, requeueAfterMs: 0, ...this.#seen(item) }

    const { target, missing } = await targetOf(world, item, compiled.type)
    if (missing !== undefined && !isResponsibleWithoutTarget(compiled, item)) throw missing
    this.#missingTarget = missing
    const responsibility = judgeResponsibility(compiled, item, target)
    const hookResult = await this.#fire('DuringResponsibilityCheck', item, target)
    this.#add(hookResult)
    const isResponsible = hookResult === undefined ? responsibility.isResponsible : !hookResult.abortReconcile
    this.#log.debug('responsibility', {
      isResponsible,
      why: hookResult === undefined ? responsibility.why : 'a hook decided',
    })
    if (!isResponsible) return this.#end(this.#seen(item))

    const handle = world.client.of<DeployItem>(landscaperResources.deployItems)
    const writer = new ItemWriter(handle, item, this.#signal)
    return await this.#recorded(
      writer,
      async () => (await this.#prepare(writer, target)) ?? (await this.#execute(writer, target)),
    )
  }

  /** Neither Target nor hooks, which may be what does not work. */
  async #release(item: DeployItem): Promise<FlowResult> {
    const { world } = this.#dependencies
    const writer = new ItemWriter(world.client.of<DeployItem>(landscaperResources.deployItems), item, this.#signal)
    this.#operation = operationNames.delete
    return await this.#recorded(writer, async () => {
      await releaseItem(world, writer, { ...item.status, phase: 'Deleting' })
      return this.#end(writer)
    })
  }

  async #recorded(writer: ItemWriter, work: () => Promise<FlowResult>): Promise<FlowResult> {
    const { world, compiled } = this.#dependencies
    try {
      return await work()
    } catch (error) {
      const failed = { world, compiled, writer, log: this.#log, signal: this.#signal }
      return await recordError(failed, error, this.#operation)
    }
  }

  /** Undefined when the item needs its deployer. */
  async #prepare(writer: ItemWriter, target: Target | undefined): Promise<FlowResult | undefined> {
    const { world, ownership } = this.#dependencies
    const { item } = writer
    this.#add(await this.#fire('AfterResponsibilityCheck', item, target))
    if (this.#result.abortReconcile) return this.#end(this.#seen(item))

    this.#operation = undefined
    const { reason = this.#appeared(item), annotationsToRemove } = prepare(item)
    if (reason === undefined && isAtWork(item.status?.phase)) {
      const waitMs = ownership.takeoverWaitMs(this.#key, item, world.runtime.clock.now())
      if (waitMs > 0) return { requeue: false, requeueAfterMs: waitMs, ...this.#seen(item) }
      ownership.claim(this.#key, item)
    }
    // The status first, then the annotations, each only when it changes.
    if (reason !== undefined) await this.#begin(writer)
    await writer.writeMetadata({ remove: annotationsToRemove })
    this.#operation = 'Hooks'

    const isNeeded = isAtWork(writer.item.status?.phase)
    const hookResult = await this.#fire('ShouldReconcile', writer.item, target)
    this.#add(hookResult)
    if (!isNeeded) {
      if (hookResult === undefined || hookResult.abortReconcile) return this.#end(writer)
      await this.#begin(writer)
    }
    this.#result = { ...this.#result, abortReconcile: false }
    return undefined
  }

  /** An item that failed without its Target or Context runs again when that exists. */
  #appeared(item: DeployItem): string | undefined {
    const awaited = awaitedBy(item)
    if (awaited === 'Target' && this.#missingTarget === undefined) return 'the Target exists now'
    if (awaited === 'Context' && hasContext(this.#dependencies.world, item)) return 'the Context exists now'
    return undefined
  }

  async #execute(writer: ItemWriter, target: Target | undefined): Promise<FlowResult> {
    const { world, compiled } = this.#dependencies
    this.#add(await this.#fire('BeforeAnyReconcile', writer.item, target))
    if (this.#result.abortReconcile) return this.#end(writer)

    const branch = branchOf(writer.item, compiled)
    this.#operation = operationNames[branch]
    if (this.#missingTarget !== undefined && branch !== 'abort' && branch !== 'delete') throw this.#missingTarget
    this.#add(await this.#fire(hookBefore[branch], writer.item, target))
    if (this.#result.abortReconcile) return this.#end(writer)

    const [log, signal, cancellation] = [this.#log, this.#signal, this.#cancellation]
    const outcome = await runBranch({ world, compiled, writer, target, log, signal, cancellation }, branch)
    if (outcome.requeueAfterMs !== undefined) this.#add({ reconcileResult: { requeueAfterMs: outcome.requeueAfterMs } })
    if (outcome.isCancelled) return requeueNow

    this.#operation = 'Hooks'
    this.#add(await this.#fire('End', writer.item, target))
    return this.#end(writer)
  }

  async #begin(writer: ItemWriter): Promise<void> {
    const { world, compiled, ownership } = this.#dependencies
    await writer.writeStatus(preparedStatus(writer.item, compiled.info, world.runtime.clock.now()))
    ownership.claim(this.#key, writer.item)
  }

  async #fire(type: HookType, item?: DeployItem, target?: Target): Promise<Aggregated | undefined> {
    const { world, compiled } = this.#dependencies
    const now = world.runtime.clock.now()
    const given = { type, deployItem: item, target, log: this.#log, signal: this.#signal, now } as HookArguments
    const deadline = { clock: world.runtime.clock, timeoutMs: compiled.hookTimeoutMs }
    return await executeHooks(compiled.deployer.hooks, given, world.hooks?.records, deadline)
  }

  #add(result: HookResult | undefined): void {
    if (result !== undefined) this.#result = merge(this.#result, result, 'any aborts')
  }

  #seen(item: DeployItem | undefined): { readonly version: string | undefined } {
    return { version: item?.metadata.resourceVersion }
  }

  #end(seen: Seen): FlowResult {
    // An item whose deletion was aborted needs a new run, which nothing else would trigger.
    if (seen.item !== undefined && prepare(seen.item).reason !== undefined) return requeueNow
    return { ...this.#result.reconcileResult, version: seen.version }
  }
}
