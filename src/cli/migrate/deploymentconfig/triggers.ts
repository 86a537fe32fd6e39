/**
 * What starts a rollout. A Deployment rolls out whenever its template changes, as ConfigChange did; changes of image streams are written into
 * it by a controller of OpenShift that reads an annotation.
 */
import type { PodTemplate } from '../../../rollouts/policy/workload.ts'
import type { Tell, Trigger } from './types.ts'

const annotation = 'image.openshift.io/triggers'

/** Annotations of the Deployment. */
export function triggersOf(
  triggers: readonly Trigger[] | undefined,
  { spec }: PodTemplate,
  tell: Tell,
): Readonly<Record<string, string>> {
  // Without a list there is one ConfigChange.
  if (triggers !== undefined && !triggers.some(({ type }) => type === 'ConfigChange'))
    tell(
      'spec.triggers',
      'without ConfigChange nothing rolled by itself; a Deployment rolls with every change of its template, unless paused',
    )
  const entries = (triggers ?? []).flatMap(({ imageChangeParams: params }, index) => {
    if (params === undefined) return []
    const { automatic = false, containerNames = [], from } = params
    if (!automatic)
      tell(`spec.triggers[${index}]`, `images of ${from.name} were not followed by themselves: entry is paused`)
    return containerNames.map((name) => {
      const isInit = ((spec['initContainers'] ?? []) as readonly { name: string }[]).some((one) => one.name === name)
      const fieldPath = `spec.template.spec.${isInit ? 'initContainers' : 'containers'}[?(@.name=="${name}")].image`
      return { from, fieldPath, ...(automatic ? {} : { paused: true }) }
    })
  })
  if (entries.length === 0) return {}
  tell('spec.triggers', `image changes are followed by the annotation ${annotation}, which only OpenShift heeds`)
  return { [annotation]: JSON.stringify(entries) }
}

/** The template with an image everywhere: what a trigger should fill in is often blank. */
export function imagesOf(template: PodTemplate, triggers: readonly Trigger[], tell: Tell): PodTemplate {
  const containers = template.spec.containers.map((container, index) => {
    const image = container['image']
    if (typeof image === 'string' && image.trim() !== '') return container
    const params = triggers
      .map(({ imageChangeParams }) => imageChangeParams)
      .find((one) => one?.containerNames?.includes(container.name))
    const found = params?.lastTriggeredImage ?? params?.from.name ?? 'unknown'
    const why =
      params?.lastTriggeredImage === undefined
        ? `${found} instead: make sure that it can be pulled`
        : `${found}, the last one that was rolled out`
    tell(`spec.template.spec.containers[${index}].image`, `it is blank; ${why}`)
    return { ...container, image: found }
  })
  return { ...template, spec: { ...template.spec, containers } } as PodTemplate
}
