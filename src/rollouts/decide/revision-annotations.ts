/**
 * How the pods of `pre` and `post` ended, as annotations of the revision object, where tools that know OpenShift's deployment hooks look for it.
 * For readers only: nothing is decided from them.
 */
import { objectName } from '../../hooks/index.ts'
import { lifecyclePrefix } from '../labels.ts'
import { runOf } from '../ledger/index.ts'
import type { World } from '../observe/index.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import type { HookState, Ledger } from '../policy/types.ts'
import type { RevisionWrite } from './decision.ts'

const phases: Readonly<Record<HookState, string>> = {
  Pending: 'Pending',
  Running: 'Running',
  Succeeded: 'Succeeded',
  Failed: 'Failed',
  Ignored: 'Failed',
  Cancelled: 'Failed',
}

/** The annotations that the revision object does not have yet. */
export function annotationWrites(world: World, { hooks }: CompiledPolicy, ledger: Ledger): readonly RevisionWrite[] {
  const { workload, revisions } = world
  const target = revisions.find(({ templateHash }) => templateHash === ledger.templateHash)
  if (workload === undefined || target === undefined) return []
  const wanted = ledger.hooks
    .filter(({ name, attempts }) => attempts > 0 && (name === 'pre' || name === 'post'))
    .filter(({ name }) => hooks.some((hook) => hook.name === name && hook.action.kind === 'pod'))
    .flatMap((record) => {
      const prefix = `${lifecyclePrefix}${record.name}.execnewpod`
      return [
        [`${prefix}.pod`, objectName(runOf(workload, ledger, record))],
        [`${prefix}.phase`, phases[record.state]],
      ] as const
    })
    .filter(([name, value]) => target.annotations[name] !== value)
  if (wanted.length === 0) return []
  return [{ kind: 'annotate-revision', revision: target, annotations: Object.fromEntries(wanted) }]
}
