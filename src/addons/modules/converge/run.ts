/**
 * One run of a module, from its first hook to the last: hooks of the start, what its watches see, hooks before the release, the release, hooks
 * after it. Whatever fails in it makes the whole run a failure, and the whole run is made again.
 */
import { isHelmMissing } from '../../../helm/program.ts'
import type { OrderBinding } from '../../scripts/config/types.ts'
import { atStart, inOrder } from '../../scripts/engine/engine.ts'
import type { Hook } from '../../scripts/hook.ts'
import type { RunOutcome } from '../../scripts/index.ts'
import type { Module } from '../discovery/module.ts'
import type { ActiveMember } from './member.ts'
import type { Stage } from './stage.ts'

export async function runModule(stage: Stage, member: ActiveMember, signal: AbortSignal): Promise<RunOutcome> {
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
    log.debug('module is run', { module: module.name })
    return 'done'
  } catch (error) {
    if (!signal.aborted) stage.metrics.runFailed(module.name)
    throw error
  } finally {
    member.isRunning = false
  }
}

async function steps(stage: Stage, member: ActiveMember, signal: AbortSignal): Promise<RunOutcome> {
  const { module, hooks } = member
  if (!member.isStarted) {
    const started = await begin(stage, member, signal)
    if (started !== 'done') return started
  }
  const before = await runHooks(stage, hooks, 'beforeHelm', signal)
  if (before !== 'done') return before
  // What hooks changed up to here is in this release.
  member.isOutdated = false
  if (module.chart !== undefined && !(await release(stage, module, signal))) return 'done'
  return runHooks(stage, hooks, 'afterHelm', signal)
}

/** False when there is no helm: then others must not wait for a release that does not come. The next run of the module tries again. */
async function release(stage: Stage, module: Module, signal: AbortSignal): Promise<boolean> {
  const { clock, log } = stage.runtime
  const begun = clock.monotonic()
  try {
    const installed = await stage.helm.install(module, stage.valuesOf(module), signal)
    stage.metrics.released(module.name, clock.monotonic() - begun)
    if (installed !== 'unchanged') log.info('module is released', { module: module.name, installed })
    return true
  } catch (error) {
    if (!isHelmMissing(error)) throw error
    stage.metrics.runFailed(module.name)
    log.error('module is not released, and its hooks after that do not run', { module: module.name, error })
    return false
  }
}

/** What happens once after a module was switched on; until the first run succeeds hooks of the start are run again. */
async function begin(stage: Stage, member: ActiveMember, signal: AbortSignal): Promise<RunOutcome> {
  const { engine } = stage
  for (const hook of atStart(member.hooks)) {
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

/** Those bound to one moment, in their order. */
export async function runHooks(
  { engine }: Stage,
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
