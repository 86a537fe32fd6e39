/**
 * Warns of a Job with a copy of the template's image. Policy and workload are two objects: one that is applied later than the other has the image
 * of the release before.
 */
import { isList } from '../objects/environment.ts'
import type { JobSpec, PodTemplate } from '../policy/workload.ts'

export function ofCopiedImages(hook: string, job: JobSpec, template: PodTemplate): string[] {
  const { containers, initContainers } = { ...job.template.spec }
  const images = [containers, initContainers].flatMap((list) => (isList(list) ? list : [])).map(({ image }) => image)
  return [...new Set(images)].flatMap((image) => {
    const source = template.spec.containers.find((one) => isOfRepository(one.image, image))
    if (source === undefined) return []
    const { name } = source
    return [
      `hook ${hook}: image ${image} of its Job does not change with that of container ${name}, ${source.image}; write $(containers.${name}.image)`,
    ]
  })
}

function isOfRepository(image: unknown, other: unknown): boolean {
  if (typeof image !== 'string' || typeof other !== 'string' || image === '') return false
  return repositoryOf(image) === repositoryOf(other)
}

/** Without tag and digest. A colon before the last slash begins a port. */
function repositoryOf(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/]*$/, '')
}
