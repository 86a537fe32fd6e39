/**
 * Runs a Job of the items' cluster as a hook. The cluster carries it out: the reconcile ends, the item stays as it is, and is reconciled
 * again when the Job has ended. There is one Job per run of the item; it stays until the item's next run has one of its own.
 */
import { hookLabel, jobAction, objectName } from '../../hooks/index.ts'
import type { JsonObject } from '../../runtime/index.ts'
import type { DeployItem } from '../resources/types.ts'
import { type HookJobs, jobLabels, pointAnnotation } from './jobs.ts'
import type { HookRecords } from './records.ts'
import type { HookArguments, HookResult } from './registry.ts'
import { runOfItem } from './run.ts'

export interface JobAction {
  /** The template of the Job's pod. */
  readonly template: JsonObject
}

interface JobSettings {
  readonly jobs: HookJobs
  readonly timeout: number
  readonly records: HookRecords
}

export async function jobHook(
  { template }: JobAction,
  name: string,
  given: HookArguments,
  { jobs, timeout, records }: JobSettings,
): Promise<HookResult | undefined> {
  const { deployItem, type } = given
  const run = runOfItem(name, given)
  if (deployItem === undefined || run === undefined) return undefined
  const { namespace, name: item, uid } = run.subject
  const before = jobs.executor.observe(run)
  if (before.state === 'absent' || before.state === 'lost') {
    const details = {
      labels: { [jobLabels.surface]: 'deployers', [hookLabel]: name, [jobLabels.item]: uid },
      annotations: { [pointAnnotation]: type },
      ownerReferences: [ownerOf(deployItem)],
    }
    const activeDeadlineSeconds = Math.max(1, Math.ceil(timeout / 1000))
    const action = jobAction(run, details, { backoffLimit: 0, activeDeadlineSeconds, template })
    await jobs.executor.start(run, action, () => jobs.wake(`${namespace}/${item}`))
    records.jobStarted(run, given)
    await jobs.deleteEarlier(action.object)
  }
  const { executor } = jobs
  const seen = executor.observe(run)
  if (seen.state === 'succeeded' || seen.state === 'failed')
    records.jobEnded(run, given, seen, () => jobs.readLog(namespace, objectName(run)))
  if (seen.state === 'succeeded') return undefined
  if (seen.state === 'failed') throw new Error(`Job ${namespace}/${objectName(run)} failed: ${seen.message}`)
  return { abortReconcile: true }
}

function ownerOf({ apiVersion, metadata: { name, uid = '' } }: DeployItem) {
  return { apiVersion: apiVersion ?? '', kind: 'DeployItem', name, uid }
}
