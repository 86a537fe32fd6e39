/**
 * The end of a module that was switched off: hooks, its release, hooks. The release leaves a trace in the cluster until the last hook has run, so
 * that an operator that comes after one that died knows what is left to do.
 */
import type { RunOutcome } from '../../scripts/index.ts'
import type { Member } from './member.ts'
import { runHooks } from './run.ts'
import type { Stage } from './stage.ts'

export interface LeavingMember extends Member {
  /** Nothing but the trace is left of the release. */
  isUninstalled: boolean
}

export async function removeModule(stage: Stage, member: LeavingMember, signal: AbortSignal): Promise<RunOutcome> {
  const { module, hooks } = member
  const { engine, helm, metrics } = stage
  const { name } = module
  const involved = hooks.filter(({ config: { orders } }) => 'beforeDeleteHelm' in orders || 'afterDeleteHelm' in orders)
  // They are told what they see, but of nothing that happens.
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
    // Hooks may have changed values to the last.
    stage.forget(module)
    stage.runtime.log.info('module is removed', { module: name })
    return 'done'
  } catch (error) {
    if (!signal.aborted) metrics.deleteFailed(name)
    throw error
  } finally {
    engine.remove(involved)
  }
}

function failed(metrics: Stage['metrics'], module: string, outcome: RunOutcome): RunOutcome {
  if (outcome === 'failed') metrics.deleteFailed(module)
  return outcome
}

/** A release that belongs to no module: nobody can tell what its hooks were. */
export async function purgeRelease({ helm, metrics, runtime }: Stage, name: string, signal: AbortSignal) {
  try {
    await helm.purge(name, signal)
    runtime.log.info('release of a module that is not there any more is removed', { release: name })
  } catch (error) {
    // It stays where it is until the next time; nothing else waits for it.
    if (signal.aborted) throw error
    metrics.deleteFailed(name)
    runtime.log.error('release of a module that is not there any more cannot be removed', { release: name, error })
  }
}
