/** Runs one function of the deployer for an item: sets the finalizer before the call, and writes the phase after it. */
import { isNotFound } from '../../kube/index.ts'
import type { Logger } from '../../runtime/index.ts'
import { annotations, finalizer } from '../resources/annotations.ts'
import type { DeployItemPhase, DeployItemStatus, Target } from '../resources/types.ts'
import { protectTarget } from '../targets/protection.ts'
import { type Branch, operationNames } from './branch.ts'
import { callDeployer } from './call-deployer.ts'
import type { ItemCancellation } from './cancellation.ts'
import { createContext } from './context.ts'
import { deadlineExceeded, deadlineOf } from './deadline.ts'
import type { Outcome } from './deployer.ts'
import { configurationProblem } from './errors.ts'
import { type ItemWriter, Superseded } from './item-writer.ts'
import { type CallResult, callMetrics } from './metrics.ts'
import { isFinal } from './phases.ts'
import { contextOf } from './references.ts'
import { statusAfterSuccess } from './status.ts'
import type { CompiledDeployer, DeployerWorld } from './world.ts'

export interface BranchInput {
  readonly world: DeployerWorld
  readonly compiled: CompiledDeployer
  readonly writer: ItemWriter
  readonly target: Target | undefined
  readonly log: Logger
  /** Aborts at shutdown. */
  readonly signal: AbortSignal
  readonly cancellation: ItemCancellation
}

export interface BranchResult {
  /** Milliseconds until the next call of the function. */
  readonly requeueAfterMs?: number
  /** The item is to be aborted: requeue at once. */
  readonly isCancelled?: boolean
}

const defaultRequeueMs = 5_000
/** A run that takes longer writes its phase; most runs end before. */
const persistAfterMs = 1_000

export async function runBranch(material: BranchInput, branch: Branch): Promise<BranchResult> {
  const { writer } = material
  if (branch !== 'abort') {
    const { deletionTimestamp, finalizers = [] } = writer.item.metadata
    // The API server forbids new finalizers on an object that is being deleted.
    const needsNoFinalizer = deletionTimestamp !== undefined || finalizers.includes(finalizer)
    await writer.writeMetadata({
      remove: branch === 'forceReconcile' ? [annotations.operation] : [],
      ...(needsNoFinalizer ? {} : { finalizers: [...finalizers, finalizer] }),
    })
  }
  if (material.target !== undefined && (branch === 'reconcile' || branch === 'forceReconcile'))
    await protectTarget(material.world.client, material.target, material.signal)
  // Check with the API server that no other process began a run: two runs at a time would install twice.
  if (!(await writer.isCurrent())) throw new Superseded(writer.item)
  const status: DeployItemStatus = structuredClone(writer.item.status ?? {})
  const working = workingPhase(branch, status.phase)
  if (working !== undefined) status.phase = working
  const call: FunctionCall = { branch, status, working }
  const count = counterOf(material, branch)
  let outcome: Outcome
  try {
    outcome = await callFunction(material, call)
    count(outcome.unfinished === true ? 'unfinished' : 'done')
  } catch (error) {
    const isCancelled = branch !== 'abort' && material.cancellation.signal.aborted
    count(material.signal.aborted || isCancelled ? 'cancelled' : 'failed')
    if (material.signal.aborted) throw error
    if (isCancelled) {
      await writer.recordStatus(withoutFinalPhase(status, working))
      return { isCancelled: true }
    }
    throw new BranchFailure(error, withoutFinalPhase(status, working))
  }
  return await finish(material, call, outcome)
}

function counterOf({ world, compiled }: BranchInput, branch: Branch): (result: CallResult) => void {
  const { clock, metrics } = world.runtime
  const started = clock.monotonic()
  const record = callMetrics(metrics)
  const call = { deployer: compiled.deployer.name, function: branch }
  return (result) => record(call, result, clock.monotonic() - started)
}

interface FunctionCall {
  readonly branch: Branch
  /** The status the function may change. */
  readonly status: DeployItemStatus
  /** The phase while the function runs. */
  readonly working: DeployItemPhase | undefined
}

/** A deployer's function failed; `status` has what it had recorded until then. */
export class BranchFailure extends Error {
  readonly status: DeployItemStatus

  constructor(cause: unknown, status: DeployItemStatus) {
    super('the deployer failed', { cause })
    this.status = status
  }
}

/** Replaces a final phase that the function set before it is done. */
function withoutFinalPhase(status: DeployItemStatus, working: DeployItemPhase | undefined): DeployItemStatus {
  return isFinal(status.phase) && working !== undefined ? { ...status, phase: working } : status
}

function workingPhase(branch: Branch, phase: DeployItemPhase | undefined): DeployItemPhase | undefined {
  if (branch === 'abort') return phase
  return branch === 'delete' ? 'Deleting' : 'Progressing'
}

async function callFunction(material: BranchInput, { branch, status, working }: FunctionCall): Promise<Outcome> {
  const { world, compiled, writer, target, log, signal, cancellation } = material
  const { clock } = world.runtime
  const { item } = writer
  const { deployer } = compiled
  const deadline = branch === 'abort' ? undefined : deadlineOf(item, compiled.progressingMs)
  const deadlineController = new AbortController()
  const remaining = deadline === undefined ? undefined : deadline - clock.now()
  if (remaining !== undefined && remaining <= 0) throw deadlineExceeded(item, compiled.progressingMs)
  const persist = () => writer.recordStatus(withoutFinalPhase(status, working))
  const timers = [
    clock.after(persistAfterMs, () => {
      if (!signals.aborted) persist().catch((error: unknown) => log.debug('progress not written', { error }))
    }),
    ...(remaining === undefined
      ? []
      : [clock.after(remaining, () => deadlineController.abort(deadlineExceeded(item, compiled.progressingMs)))]),
  ]
  // A running abort cannot be aborted.
  const signals = AbortSignal.any([
    signal,
    deadlineController.signal,
    ...(branch === 'abort' ? [] : [cancellation.signal]),
  ])
  try {
    const lsContext = await contextOf(world, item, branch)
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
    return await callDeployer(deployer[branch], context, clock, signal)
  } catch (error) {
    throw deadlineController.signal.aborted ? deadlineController.signal.reason : error
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
  material: BranchInput,
  { branch, status, working }: FunctionCall,
  outcome: Outcome,
): Promise<BranchResult> {
  const { writer, world } = material
  if (outcome.unfinished === true) {
    await writer.recordStatus(withoutFinalPhase(status, working))
    return { requeueAfterMs: outcome.requeueAfterMs ?? defaultRequeueMs }
  }
  if (branch === 'delete' && !isFinal(status.phase)) {
    await releaseItem(material.world, writer, status)
    return {}
  }
  await writer.recordStatus(statusAfterSuccess(branch, status, working, world.runtime.clock.now()))
  if (branch === 'abort' && isFinal(writer.item.status?.phase))
    await writer.retryMetadata(() => ({ remove: [annotations.operation, annotations.abortTime] }))
  return outcome.requeueAfterMs === undefined ? {} : { requeueAfterMs: outcome.requeueAfterMs }
}

/** Removes our finalizer after uninstalling. While other finalizers keep the item, its phase shows that the deletion succeeded. */
export async function releaseItem(world: DeployerWorld, writer: ItemWriter, status: DeployItemStatus): Promise<void> {
  try {
    await writer.retryMetadata(({ metadata }) => ({
      finalizers: (metadata.finalizers ?? []).filter((name) => name !== finalizer),
    }))
    const remaining = writer.item.metadata.finalizers ?? []
    if (remaining.length > 0)
      await writer.recordStatus(statusAfterSuccess('delete', status, 'Deleting', world.runtime.clock.now()))
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
