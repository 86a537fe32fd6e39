/** What the runs of configured hooks are called. */
import type { Run } from '../../hooks/index.ts'
import { runIdOf } from '../library/run-id.ts'
import type { HookArguments } from './registry.ts'

/** A run that the cluster carries: one per run of the item, so that a retry of the same run finds its Job. */
export function runOfItem(hook: string, given: HookArguments): Run | undefined {
  const { deployItem, type } = given
  if (deployItem === undefined) return undefined
  const { namespace = '', uid = '', name } = deployItem.metadata
  return {
    surface: 'deployers',
    subject: { kind: 'DeployItem', namespace, name, uid },
    lifecycle: runIdOf(deployItem),
    point: type,
    hook,
    attempt: 1,
  }
}

/** A run that this process carries: one per reconcile, however often the item is reconciled within one run of it. */
export function runOfReconcile(hook: string, given: HookArguments, count: number): Run {
  const { type, now } = given
  const lifecycle = `${now}.${count}`
  const run = runOfItem(hook, given)
  if (run !== undefined) return { ...run, lifecycle: `${run.lifecycle}@${lifecycle}` }
  const subject = { kind: 'Deployer', namespace: '', name: 'start', uid: '' }
  return { surface: 'deployers', subject, lifecycle, point: type, hook, attempt: 1 }
}
