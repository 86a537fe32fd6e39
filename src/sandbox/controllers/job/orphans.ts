/** Removes the tracking finalizer from pods whose Job is deleted or finished, because no sync of the Job will count them. */
import { isNotFound } from '../../../kube/index.ts'
import { type Job, type Pod, resources } from '../../../kube/kinds/index.ts'
import { controllerOf } from '../claims/controller-refs.ts'
import type { Controller, ControllerContext } from '../loop/controller.ts'
import { indexNames } from '../loop/informers.ts'
import { isTracked } from './pods.ts'
import { releasePod } from './release.ts'
import { isJobFinished } from './world.ts'

export function orphanedPodController({ client, informers }: ControllerContext): Controller {
  const jobs = informers.of<Job>(resources.jobs)
  const pods = informers.of<Pod>(resources.pods)

  function isOrphaned(pod: Pod): boolean {
    const owner = controllerOf(pod)
    if (!isTracked(pod) || (owner !== undefined && owner.kind !== 'Job')) return false
    const job = jobs.get(`${pod.metadata.namespace}/${owner?.name}`)
    return owner === undefined || job === undefined || job.metadata.uid !== owner.uid || isJobFinished(job)
  }

  return {
    name: 'job-orphan-controller',
    watch(enqueue) {
      pods.subscribe((change) => {
        if (change.type !== 'deleted' && isOrphaned(change.value)) enqueue(change.key)
      })
      jobs.subscribe((change) => {
        if (change.type === 'added') return
        const job = change.type === 'deleted' ? change.previous : change.value
        if (change.type === 'updated' && !isJobFinished(job)) return
        for (const { metadata } of pods.by(indexNames.controller, job.metadata.uid ?? '')) {
          enqueue(`${metadata.namespace}/${metadata.name}`)
        }
      })
      for (const key of pods.keys()) enqueue(key)
    },
    async sync(key) {
      const pod = pods.get(key)
      if (pod === undefined || !isOrphaned(pod)) return undefined
      try {
        await releasePod(client, pod)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
      return undefined
    },
  }
}
