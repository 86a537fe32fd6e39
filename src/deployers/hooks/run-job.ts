/**
 * Runs a Job of the items' cluster as a hook. The cluster carries it out, so that nobody has to wait for it: the run ends, the item stays
 * as it is and is looked at again, until the Job has ended. One Job per run of the item, whoever asks, however often and however late: it
 * stays until the next run has one of its own.
 */
import { objectName, projectHookObject, type Run } from '../../hooks/index.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts'
import { resources } from '../../kube/kinds/index.ts'
import type { KubeObject } from '../../kube/object.ts'
import type { JsonObject } from '../../runtime/json.ts'
import { runIdOf } from '../library/run-id.ts'
import type { HookRun } from './hook-run.ts'
import type { HookResult } from './registry.ts'

export interface JobAction {
  /** The spec of a Job's pod template. */
  readonly template: JsonObject
}

const pollEvery = 5_000
const labels = {
  surface: 'carabiner.dev/surface',
  hook: 'carabiner.dev/hook',
  item: 'carabiner.dev/item-uid',
} as const
const pointAnnotation = 'carabiner.dev/point'

export async function jobHook(
  { template }: JobAction,
  name: string,
  { client, hook, timeout }: HookRun & { readonly client: KubeClient },
): Promise<HookResult | undefined> {
  const { deployItem, type } = hook
  if (deployItem === undefined) return undefined
  const { namespace = '', uid = '', name: item } = deployItem.metadata
  const run: Run = {
    surface: 'deployers',
    subject: { kind: 'DeployItem', namespace, name: item, uid },
    // A retry of the same run finds its Job, a new run gets one of its own.
    lifecycle: runIdOf(deployItem),
    point: type,
    hook: name,
    attempt: 1,
  }
  const jobName = objectName(run)
  const jobs = client.of<KubeObject>(resources.jobs)
  let found: KubeObject
  try {
    found = await jobs.get(jobName, { namespace, signal: hook.signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
    found = await create()
    await removeEarlier()
  }
  const { observation } = projectHookObject(found)
  if (observation.state === 'succeeded') return undefined
  if (observation.state === 'failed') throw new Error(`Job ${namespace}/${jobName} failed: ${observation.message}`)
  return { abortReconcile: true, reconcileResult: { requeueAfterMs: pollEvery } }

  async function create(): Promise<KubeObject> {
    const owner = { apiVersion: deployItem?.apiVersion ?? '', kind: 'DeployItem', name: item, uid }
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: jobName,
        namespace,
        labels: { [labels.surface]: 'deployers', [labels.hook]: name, [labels.item]: uid },
        annotations: { [pointAnnotation]: type },
        ownerReferences: [owner],
      },
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: Math.max(1, Math.ceil(timeout / 1000)),
        template,
      },
    }
    try {
      return await jobs.create(job, { signal: hook.signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return await jobs.get(jobName, { namespace, signal: hook.signal })
    }
  }

  async function removeEarlier(): Promise<void> {
    const labelSelector = `${labels.surface}=deployers,${labels.hook}=${name},${labels.item}=${uid}`
    for (const { metadata } of (await jobs.list({ namespace, labelSelector, signal: hook.signal })).items) {
      if (metadata.name === jobName || metadata.annotations?.[pointAnnotation] !== type) continue
      await jobs
        .delete(metadata.name, { namespace, propagationPolicy: 'Background', signal: hook.signal })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error
        })
    }
  }
}
