/** Deletes finished Jobs after ttlSecondsAfterFinished. */
import { type Job, resources } from '../../../kube/kinds/index.ts'
import type { Instant } from '../../../runtime/index.ts'
import { instantOf } from '../../kinds/time.ts'
import { type Controller, type ControllerContext, enqueueAll } from '../loop/controller.ts'
import { isJobFinished } from './world.ts'

/** When the Job is deleted; undefined when it is kept. */
export function expiryOf(job: Job): Instant | undefined {
  const ttl = job.spec.ttlSecondsAfterFinished
  if (ttl === undefined || !isJobFinished(job) || job.metadata.deletionTimestamp !== undefined) return undefined
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
  const finished = instantOf(end?.lastTransitionTime)
  return finished === undefined ? undefined : finished + ttl * 1000
}

export function ttlController({ client, informers, runtime }: ControllerContext): Controller {
  const jobs = informers.of<Job>(resources.jobs)
  return {
    name: 'ttl-after-finished-controller',
    watch: (enqueue) => enqueueAll(jobs, enqueue),
    async sync(key) {
      const job = jobs.get(key)
      const expiry = job && expiryOf(job)
      if (job === undefined || expiry === undefined) return undefined
      const wait = expiry - runtime.clock.now()
      if (wait > 0) return { requeueAfterMs: wait }
      const { name, namespace = '', uid = '', resourceVersion = '' } = job.metadata
      await client.of(resources.jobs).delete(name, {
        namespace,
        propagationPolicy: 'Foreground',
        preconditions: { uid, resourceVersion },
      })
      return undefined
    },
  }
}
