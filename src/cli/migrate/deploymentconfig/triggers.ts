/**
 * Converts triggers. A Deployment rolls out when its template changes, like ConfigChange; for image streams a controller of OpenShift
 * reads an annotation of the Deployment and updates its images.
 */
import type { PodTemplate } from '../../../rollouts/index.ts'
import type { AddNote, Trigger } from './types.ts'

const annotation = 'image.openshift.io/triggers'

/** The annotations of the Deployment. */
export function triggersOf(
  triggers: readonly Trigger[] | undefined,
  { spec }: PodTemplate,
  addNote: AddNote,
): Readonly<Record<string, string>> {
  // Without triggers, OpenShift adds a ConfigChange.
  if (triggers !== undefined && !triggers.some(({ type }) => type === 'ConfigChange'))
    addNote(
      'spec.triggers',
      'without ConfigChange, template changes did not start a rollout; a Deployment rolls out with every change of its template unless it is paused',
    )
  const entries = (triggers ?? []).flatMap(({ imageChangeParams: params }, index) => {
    if (params === undefined) return []
    const { automatic = false, containerNames = [], from } = params
    if (!automatic)
      addNote(
        `spec.triggers[${index}]`,
        `images of ${from.name} were not deployed automatically; the entry in the annotation is paused`,
      )
    return containerNames.map((name) => {
      const isInit = ((spec['initContainers'] ?? []) as readonly { name: string }[]).some((one) => one.name === name)
      const fieldPath = `spec.template.spec.${isInit ? 'initContainers' : 'containers'}[?(@.name=="${name}")].image`
      return { from, fieldPath, ...(automatic ? {} : { paused: true }) }
    })
  })
  if (entries.length === 0) return {}
  addNote('spec.triggers', `converted to the annotation ${annotation}, which has an effect only on OpenShift`)
  return { [annotation]: JSON.stringify(entries) }
}

/** Fills in blank images: in a DeploymentConfig the image of a trigger is often blank. */
export function imagesOf(template: PodTemplate, triggers: readonly Trigger[], addNote: AddNote): PodTemplate {
  const containers = template.spec.containers.map((container, index) => {
    const image = container['image']
    if (typeof image === 'string' && image.trim() !== '') return container
    const params = triggers
      .map(({ imageChangeParams }) => imageChangeParams)
      .find((one) => one?.containerNames?.includes(container.name))
    const found = params?.lastTriggeredImage ?? params?.from.name ?? 'unknown'
    const why =
      params?.lastTriggeredImage === undefined
        ? `changed to ${found}; make sure that it can be pulled`
        : `changed to ${found}, the last image that was rolled out`
    addNote(`spec.template.spec.containers[${index}].image`, `blank; ${why}`)
    return { ...container, image: found }
  })
  return { ...template, spec: { ...template.spec, containers } } as PodTemplate
}
