/** One branch of a run: everything around a deployer's function, from the finalizer before it to the phase after it. */
import { isNotFound } from '../../kube/errors.ts'
import type { Logger } from '../../runtime/log.ts'
import type { DeployItemPhase, DeployItemStatus, Target } from '../resources/types.ts'
import { annotations, finalizer } from '../resources/words.ts'
import { type Branch, operationNames } from './branch.ts'
import { call } from './call.ts'
import type { Cancellation } from './cancellation.ts'
import { createContext } from './context.ts'
import { deadlineExceeded, deadlineOf } from './deadline.ts'
import type { Outcome } from './deployer.ts'
import { afterSuccess } from './ending.ts'
import { configurationProblem } from './errors.ts'
import { type ItemWriter, Superseded } from './item-writer.ts'
import { isFinal, isMarked } from './phases.ts'
import { contextOf } from './references.ts'
import type { CompiledDeployer, DeployerWorld } from './world.ts'

export interface BranchMaterial {
  readonly world: DeployerWorld
  readonly compiled: CompiledDeployer
  readonly writer: ItemWriter
  readonly target: Target | undefined
  readonly log: Logger
  /** Aborts at shutdown. */
  readonly signal: AbortSignal
  readonly cancellation: Cancellation
}

export interface BranchEnd {
  /** Milliseconds until the function is to be called again. */
  readonly wait?: number
  /** The item shall be aborted: look again at once. */
  readonly interrupted?: boolean
}

const defaultWait = 5_000
/** A run that takes longer tells that it is at work; most are done before. */
const tellAfter = 1_000

export async function runBranch(material: BranchMaterial, branch: Branch): Promise<BranchEnd> {
  const { writer } = material
  if (branch === 'delete' && isMarked(writer.item, annotations.deleteWithoutUninstall)) {
    await release(material, { ...writer.item.status, phase: 'Deleting' })
    return {}
  }
  if (branch !== 'abort') {
    const { deletionTimestamp, finalizers = [] } = writer.item.metadata
    // No finalizer can be added to an item that is being deleted.
    const isHeld = deletionTimestamp !== undefined || finalizers.includes(finalizer)
    await writer.writeMetadata({
      remove: branch === 'forceReconcile' ? [annotations.operation] : [],
      ...(isHeld ? {} : { finalizers: [...finalizers, finalizer] }),
    })
  }
  // Two runs of one item at a time would install twice: the caches alone are no proof that this is the only one.
  if (!(await writer.isCurrent())) throw new Superseded(writer.item)
  const status: DeployItemStatus = structuredClone(writer.item.status ?? {})
  const working = workingPhase(branch, status.phase)
  if (working !== undefined) status.phase = working
  let outcome: Outcome
  try {
    outcome = await work(material, branch, status, working)
  } catch (error) {
    if (material.signal.aborted) throw error
    if (branch !== 'abort' && material.cancellation.signal.aborted) {
      await writer.recordStatus(interim(status, working))
      return { interrupted: true }
    }
    throw new BranchFailure(error, interim(status, working))
  }
  return await finish(material, branch, status, working, outcome)
}

/** A deployer's function failed; what it had done until then is in the status and must not be forgotten. */
export class BranchFailure extends Error {
  readonly status: DeployItemStatus

  constructor(cause: unknown, status: DeployItemStatus) {
    super('the deployer failed', { cause })
    this.status = status
  }
}

/** Nothing is final before the function is done, whatever it wrote into the status meanwhile. */
function interim(status: DeployItemStatus, working: DeployItemPhase | undefined): DeployItemStatus {
  return isFinal(status.phase) && working !== undefined ? { ...status, phase: working } : status
}

function workingPhase(branch: Branch, phase: DeployItemPhase | undefined): DeployItemPhase | undefined {
  if (branch === 'abort') return phase
  return branch === 'delete' ? 'Deleting' : 'Progressing'
}

async function work(
  material: BranchMaterial,
  branch: Branch,
  status: DeployItemStatus,
  working: DeployItemPhase | undefined,
): Promise<Outcome> {
  const { world, compiled, writer, target, log, signal, cancellation } = material
  const { clock } = world.runtime
  const { item } = writer
  const { deployer } = compiled
  const deadline = branch === 'abort' ? undefined : deadlineOf(item, compiled.progressingMs)
  const late = new AbortController()
  const remaining = deadline === undefined ? undefined : deadline - clock.now()
  if (remaining !== undefined && remaining <= 0) throw deadlineExceeded(item, compiled.progressingMs)
  const persist = () => writer.recordStatus(interim(status, working))
  const timers = [
    clock.after(tellAfter, () => {
      if (!signals.aborted) persist().catch((error: unknown) => log.debug('not told', { error }))
    }),
    ...(remaining === undefined
      ? []
      : [clock.after(remaining, () => late.abort(deadlineExceeded(item, compiled.progressingMs)))]),
  ]
  // An abort that is under way cannot be aborted.
  const signals = AbortSignal.any([signal, late.signal, ...(branch === 'abort' ? [] : [cancellation.signal])])
  try {
    const lsContext = await contextOf(world, item)
    const config = decode(deployer.decode, item, branch)
    const context = createContext(world, persist, {
      item,
      status,
      config,
      target,
      lsContext,
      log,
      signal: signals,
      deadline,
    })
    return await call(deployer[branch], context, clock, signal)
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    for (const timer of timers) timer.cancel()
  }
}

function decode(run: CompiledDeployer['deployer']['decode'], { spec }: ItemWriter['item'], branch: Branch): unknown {
  try {
    return run(spec.config)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw configurationProblem(operationNames[branch], `spec.config: ${message}`, error)
  }
}

async function finish(
  material: BranchMaterial,
  branch: Branch,
  status: DeployItemStatus,
  working: DeployItemPhase | undefined,
  outcome: Outcome,
): Promise<BranchEnd> {
  const { writer, world } = material
  if (outcome.unfinished === true) {
    await writer.recordStatus(interim(status, working))
    return { wait: outcome.requeueAfterMs ?? defaultWait }
  }
  if (branch === 'delete' && !isFinal(status.phase)) {
    await release(material, status)
    return {}
  }
  await writer.recordStatus(afterSuccess(branch, status, working, world.runtime.clock.now()))
  if (branch === 'abort' && isFinal(writer.item.status?.phase))
    await writer.insistOnMetadata(() => ({ remove: [annotations.operation, annotations.abortTime] }))
  return outcome.requeueAfterMs === undefined ? {} : { wait: outcome.requeueAfterMs }
}

/** Nothing is left of what the item installed: it may go. It stays as long as others hold it, and says that all is done. */
async function release({ world, writer }: BranchMaterial, status: DeployItemStatus): Promise<void> {
  try {
    await writer.insistOnMetadata(({ metadata }) => ({
      finalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer),
    }))
    const remaining = writer.item.metadata.finalizers ?? []
    if (remaining.length > 0)
      await writer.recordStatus(afterSuccess('delete', status, 'Deleting', world.runtime.clock.now()))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
