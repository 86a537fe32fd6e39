/** The reconcile loop of the CronJob controller: starts Jobs on schedule and deletes old ones. */
import { parse } from '../../../cron/index.ts'
import type { ReconcileResult } from '../../../kube/controller/index.ts'
import { isAlreadyExists, isNotFound } from '../../../kube/index.ts'
import { type CronJob, type Job, resources } from '../../../kube/kinds/index.ts'
import { CarabinerError, type Instant } from '../../../runtime/index.ts'
import { timestamp } from '../../kinds/time.ts'
import { controllerOf, controllerRef } from '../claims/controller-refs.ts'
import { event } from '../decisions/decision.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { writeStatus } from '../loop/status.ts'
import { statusChanged } from '../replicaset/decide.ts'
import { decideCron, jobReference } from './decide.ts'

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

export function cronJobController({ client, informers, runtime, record }: ControllerContext): Controller {
  const cronJobs = informers.of<CronJob>(resources.cronJobs)
  const jobs = informers.of<Job>(resources.jobs)
  const handle = client.of(resources.jobs)

  async function remove(cronJob: CronJob, job: Job): Promise<void> {
    const { name, namespace = '', uid = '' } = job.metadata
    try {
      await handle.delete(name, { namespace, propagationPolicy: 'Background', preconditions: { uid } })
      record(event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`))
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Undefined when a Job of that time exists. */
  async function start(cronJob: CronJob, due: Instant): Promise<Job | undefined> {
    const { metadata, spec } = cronJob
    const { labels = {}, annotations = {} } = spec.jobTemplate.metadata ?? {}
    const name = `${metadata.name}-${Math.floor(due / 60_000)}`
    const job: Job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        namespace: metadata.namespace ?? '',
        labels: { ...labels },
        annotations: { ...annotations, [scheduledAnnotation]: timestamp(due) },
        ownerReferences: [controllerRef(cronJob, resources.cronJobs)],
      },
      spec: spec.jobTemplate.spec,
    }
    try {
      const created = await handle.create(job)
      record(event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${name}`))
      return created
    } catch (error) {
      if (isAlreadyExists(error)) return undefined
      record(event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${String(error)}`))
      throw error
    }
  }

  function scheduleOf({ spec }: CronJob) {
    try {
      return parse(spec.schedule, { zone: spec.timeZone ?? 'UTC' })
    } catch (error) {
      if (error instanceof CarabinerError) return error.message
      throw error
    }
  }

  return {
    name: 'cronjob-controller',
    watch(enqueue) {
      enqueueAll(cronJobs, enqueue)
      jobs.subscribe((change) => {
        const job = change.type === 'deleted' ? change.previous : change.value
        const owner = controllerOf(job)
        if (owner?.kind === 'CronJob') enqueue(`${job.metadata.namespace}/${owner.name}`)
      })
    },
    async sync(key): Promise<ReconcileResult | undefined> {
      const cronJob = cronJobs.get(key)
      if (cronJob === undefined) return undefined
      const schedule = scheduleOf(cronJob)
      if (typeof schedule === 'string') {
        record(
          event(
            cronJob,
            'Warning',
            'UnparseableSchedule',
            `unparseable schedule: ${cronJob.spec.schedule} : ${schedule}`,
          ),
        )
        return undefined
      }
      const mine = jobs.by(indexNames.controller, cronJob.metadata.uid ?? '')
      const decision = decideCron({ cronJob, schedule, jobs: mine }, runtime.clock.now())
      for (const write of decision.events) record(write)
      for (const job of decision.remove) await remove(cronJob, job)
      let { status } = decision
      if (decision.start !== undefined) {
        const job = await start(cronJob, decision.start)
        const active = job === undefined ? {} : { active: [...(status.active ?? []), jobReference(job)] }
        status = { ...status, ...active, lastScheduleTime: timestamp(decision.start) }
      }
      if (statusChanged(cronJob.status, status)) {
        await writeStatus(client.of(resources.cronJobs), cronJob, status)
      }
      return decision.requeueAfterMs === undefined ? undefined : { requeueAfterMs: decision.requeueAfterMs }
    },
  }
}
