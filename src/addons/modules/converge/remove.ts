/**
 * Removes a disabled module: beforeDeleteHelm hooks, the release, afterDeleteHelm hooks. Helm keeps the history of the release until the
 * last hook has run, so that after a crash the operator knows that the removal is not complete.
 */
import type { RunOutcome } from '../../scripts/index.ts'
import type { ConvergeDependencies } from './dependencies.ts'
import type { Member } from './member.ts'
import { runHooks } from './run.ts'

export interface RemovedMember extends Member {
  /** The release is uninstalled and only its history is left. */
  isUninstalled: boolean
}

export async function removeModule(
  stage: ConvergeDependencies,
  member: RemovedMember,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { module, hooks } = member
  const { engine, helm, metrics } = stage
  const { name } = module
  const involved = hooks.filter(({ config: { orders } }) => 'beforeDeleteHelm' in orders || 'afterDeleteHelm' in orders)
  // The hooks get snapshots but no events.
  engine.add(involved)
  try {
    for (const hook of involved) await engine.settled(hook)
    const before = member.isUninstalled ? 'done' : await runHooks(stage, hooks, 'beforeDeleteHelm', signal)
    if (before !== 'done') return failed(metrics, name, before)
    if (!member.isUninstalled) await helm.uninstall(name, signal)
    member.isUninstalled = true
    const after = await runHooks(stage, hooks, 'afterDeleteHelm', signal)
    if (after !== 'done') return failed(metrics, name, after)
    await helm.purge(name, signal)
    // The hooks may have changed values until now.
    stage.forget(module)
    stage.runtime.log.info('module removed', { module: name })
    return 'done'
  } catch (error) {
    if (!signal.aborted) metrics.deleteFailed(name)
    throw error
  } finally {
    engine.remove(involved)
  }
}

function failed(metrics: ConvergeDependencies['metrics'], module: string, outcome: RunOutcome): RunOutcome {
  if (outcome === 'failed') metrics.deleteFailed(module)
  return outcome
}

/** Removes a release whose module no longer exists, without hooks. */
export async function purgeRelease(
  { helm, metrics, runtime }: ConvergeDependencies,
  name: string,
  signal: AbortSignal,
) {
  try {
    await helm.purge(name, signal)
    runtime.log.info('removed the release of a module that no longer exists', { release: name })
  } catch (error) {
    // The next convergence tries again; nothing else depends on it.
    if (signal.aborted) throw error
    metrics.deleteFailed(name)
    runtime.log.error('cannot remove the release of a module that no longer exists', { release: name, error })
  }
}
