/**
 * One run of a module: onStartup hooks, Synchronization of its watches, beforeHelm hooks, the release, afterHelm hooks. Any failure fails
 * the whole run, which is then repeated from the start.
 */
import { isHelmMissing } from '../../../helm/index.ts'
import type { OrderBinding } from '../../scripts/config/types.ts'
import { inOrder, startupHooks } from '../../scripts/engine/engine.ts'
import type { Hook } from '../../scripts/hook.ts'
import type { RunOutcome } from '../../scripts/index.ts'
import type { Module } from '../discovery/module.ts'
import type { ConvergeDependencies } from './dependencies.ts'
import type { ActiveMember } from './member.ts'

export async function runModule(
  stage: ConvergeDependencies,
  member: ActiveMember,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { clock, log } = stage.runtime
  const { module } = member
  const begun = clock.monotonic()
  member.isRunning = true
  try {
    const outcome = await steps(stage, member, signal)
    if (outcome === 'failed') stage.metrics.runFailed(module.name)
    if (outcome !== 'done') return outcome
    member.isStarted = true
    stage.metrics.ran(module.name, clock.monotonic() - begun)
    log.debug('module run succeeded', { module: module.name })
    return 'done'
  } catch (error) {
    if (!signal.aborted) stage.metrics.runFailed(module.name)
    throw error
  } finally {
    member.isRunning = false
  }
}

async function steps(stage: ConvergeDependencies, member: ActiveMember, signal: AbortSignal): Promise<RunOutcome> {
  const { module, hooks } = member
  if (!member.isStarted) {
    const started = await begin(stage, member, signal)
    if (started !== 'done') return started
  }
  const before = await runHooks(stage, hooks, 'beforeHelm', signal)
  if (before !== 'done') return before
  // The release contains all values that hooks have changed so far.
  member.isOutdated = false
  if (module.chart !== undefined && !(await release(stage, module, signal))) return 'done'
  return runHooks(stage, hooks, 'afterHelm', signal)
}

/** False without the helm program, so that other modules still run. The next run of the module tries again. */
async function release(stage: ConvergeDependencies, module: Module, signal: AbortSignal): Promise<boolean> {
  const { clock, log } = stage.runtime
  const begun = clock.monotonic()
  try {
    const installed = await stage.helm.install(module, stage.valuesOf(module), signal)
    stage.metrics.released(module.name, clock.monotonic() - begun)
    if (installed !== 'unchanged') log.info('module released', { module: module.name, installed })
    return true
  } catch (error) {
    if (!isHelmMissing(error)) throw error
    stage.metrics.runFailed(module.name)
    log.error('cannot release the module, so its afterHelm hooks do not run', { module: module.name, error })
    return false
  }
}

/** The steps after a module was enabled; onStartup hooks run again until the first run of the module succeeds. */
async function begin(stage: ConvergeDependencies, member: ActiveMember, signal: AbortSignal): Promise<RunOutcome> {
  const { engine } = stage
  for (const hook of startupHooks(member.hooks)) {
    const outcome = await engine.run(hook, { kind: 'startup' }, signal)
    if (outcome !== 'done') return outcome
  }
  for (const hook of member.hooks) {
    for (const cause of await engine.enable(hook)) {
      const outcome = await engine.run(hook, cause, signal)
      if (outcome !== 'done') return outcome
    }
  }
  if (!member.isScheduled) for (const hook of member.hooks) engine.schedule(hook)
  member.isScheduled = true
  return signal.aborted ? 'stopped' : 'done'
}

/** Runs the hooks of one binding in their order. */
export async function runHooks(
  { engine }: ConvergeDependencies,
  hooks: readonly Hook[],
  order: OrderBinding,
  signal: AbortSignal,
): Promise<RunOutcome> {
  for (const hook of inOrder(hooks, ({ config }) => config.orders[order])) {
    const outcome = await engine.run(hook, { kind: 'order', order }, signal)
    if (outcome !== 'done') return outcome
  }
  return 'done'
}
