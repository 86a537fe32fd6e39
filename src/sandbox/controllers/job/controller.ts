/**
 * The reconcile loop of the Job controller: creates and deletes pods, counts them, removes their finalizers, completes
 * the Job.
 */

import type { ReconcileResult } from '../../../kube/controller/index.ts'
import { isNamespaceEnding, isNotFound } from '../../../kube/index.ts'
import { type Job, type JobStatus, type Pod, resources } from '../../../kube/kinds/index.ts'
import { timestamp } from '../../kinds/time.ts'
import { claimWrites, decideClaims } from '../claims/controller-refs.ts'
import { type Controller, type ControllerContext, debounced, enqueueAll } from '../loop/controller.ts'
import { Expectations } from '../loop/expectations.ts'
import { indexNames } from '../loop/informers.ts'
import { asError, perform } from '../loop/perform.ts'
import { routeToOwners } from '../loop/routes.ts'
import { PodControl } from '../pods/control.ts'
import { slowStartBatches } from '../pods/slow-start.ts'
import { statusChanged } from '../replicaset/decide.ts'
import { type JobPlan, planJob } from './plan.ts'
import { isTracked, jobPod } from './pods.ts'
import { releasePod } from './release.ts'
import { planStatus } from './status-plan.ts'
import { countPods, type Failures, isJobFinished, isSuspended, type JobWorld, noFailures, uidOf } from './world.ts'

export function jobController({ client, informers, runtime, record }: ControllerContext): Controller {
  const jobs = informers.of<Job>(resources.jobs)
  const pods = informers.of<Pod>(resources.pods)
  const expectations = new Expectations(runtime.clock)
  const podControl = new PodControl(client, record)
  const failures = new Map<string, Failures>()
  /** Uids of pods whose finalizer was removed, until the cache shows it. */
  const releasing = new Set<string>()
  /** resourceVersions of our status writes: reconciling an older Job from the cache would count pods twice. */
  const written = new Map<string, number>()

  async function ownPods(job: Job): Promise<readonly Pod[]> {
    const candidates = [
      ...pods.by(indexNames.controller, job.metadata.uid ?? ''),
      ...pods.by(indexNames.orphans, job.metadata.namespace ?? ''),
    ]
    const claims = decideClaims(job, job.spec.selector ?? {}, candidates)
    const writes = claimWrites(job, resources.jobs, resources.pods, claims)
    await perform(client, record, { writes, why: 'adopt and release' })
    return [...claims.kept, ...claims.adopted]
  }

  async function create(key: string, job: Job, plan: JobPlan): Promise<{ done: number; failure: unknown }> {
    if (plan.create.length === 0) return { done: 0, failure: undefined }
    expectations.expect(key, plan.create.length)
    const result = await slowStartBatches(plan.create.length, async (position) => {
      try {
        await podControl.create(jobPod(job, plan.create[position]), job)
      } catch (error) {
        if (!isNamespaceEnding(error)) throw error
      }
    })
    for (let missing = plan.create.length - result.done; missing > 0; missing--) expectations.created(key)
    return result
  }

  async function remove(key: string, job: Job, plan: JobPlan): Promise<{ gone: readonly Pod[]; failure: unknown }> {
    if (plan.remove.length === 0) return { gone: [], failure: undefined }
    if (plan.end === undefined) expectations.expect(key, 0, plan.remove.map(uidOf))
    const gone: Pod[] = []
    let failure: unknown
    await Promise.all(
      plan.remove.map(async (pod) => {
        try {
          if (plan.uncounted && isTracked(pod)) await releasePod(client, pod)
          await podControl.delete(pod, job)
          gone.push(pod)
        } catch (error) {
          expectations.deleted(key, uidOf(pod))
          if (isNotFound(error)) gone.push(pod)
          else failure ??= error
        }
      }),
    )
    return { gone, failure }
  }

  async function writeStatus(key: string, job: Job, status: JobStatus): Promise<Job> {
    if (!statusChanged(job.status, status)) return job
    const response = await client.of(resources.jobs).update({ ...job, status }, { subresource: 'status' })
    written.set(key, Number(response.metadata.resourceVersion))
    return response
  }

  async function release(all: readonly Pod[]): Promise<void> {
    await Promise.all(
      all.map(async (pod) => {
        releasing.add(uidOf(pod))
        try {
          await releasePod(client, pod)
        } catch (error) {
          releasing.delete(uidOf(pod))
          if (!isNotFound(error)) throw error
        }
      }),
    )
  }

  function forget(key: string): void {
    expectations.forget(key)
    failures.delete(key)
    written.delete(key)
  }

  return {
    name: 'job-controller',
    watch(enqueue) {
      enqueueAll(jobs, enqueue)
      pods.subscribe((change) => {
        const pod = change.type === 'deleted' ? change.previous : change.value
        if (change.type === 'deleted' || !isTracked(pod)) releasing.delete(uidOf(pod))
      })
      routeToOwners({
        dependents: pods,
        ownerKind: 'Job',
        owners: jobs,
        enqueue: debounced(enqueue),
        created: (key) => expectations.created(key),
        deleted: (key, pod) => expectations.deleted(key, uidOf(pod)),
      })
    },
    async sync(key): Promise<ReconcileResult | undefined> {
      const job = jobs.get(key)
      if (job === undefined || isJobFinished(job)) {
        forget(key)
        return undefined
      }
      if (job.spec.managedBy !== undefined && job.spec.managedBy !== 'kubernetes.io/job-controller') return undefined
      if (Number(job.metadata.resourceVersion) < (written.get(key) ?? 0)) return undefined
      const expectationsSatisfied = expectations.satisfied(key)
      const world: JobWorld = {
        job,
        pods: await ownPods(job),
        releasing,
        failures: failures.get(key) ?? noFailures,
      }
      const now = runtime.clock.now()
      const counts = countPods(world)
      const startTime = job.status?.startTime ?? (isSuspended(job) ? undefined : timestamp(now))
      const plan = planJob(world, counts, { startTime, expectationsSatisfied }, now)
      const removed = await remove(key, job, plan)
      const created = await create(key, job, plan)
      const complete = removed.gone.length === plan.remove.length && expectationsSatisfied
      const outcome = {
        end: complete ? plan.end : undefined,
        created: created.done,
        removed: removed.gone,
        managed: plan.end === undefined && expectationsSatisfied && job.metadata.deletionTimestamp === undefined,
        startTime,
      }
      const statusPlan = planStatus(world, counts, outcome, runtime.clock.now())
      const between = await writeStatus(key, job, statusPlan.before)
      failures.set(key, plan.failures)
      await release(statusPlan.release)
      await writeStatus(key, between, statusPlan.after)
      for (const write of statusPlan.events) record(write)
      if (statusPlan.finished) forget(key)
      const failure = removed.failure ?? created.failure
      if (failure !== undefined) throw asError(failure)
      return plan.requeueAfterMs === undefined ? undefined : { requeueAfterMs: plan.requeueAfterMs }
    },
  }
}
