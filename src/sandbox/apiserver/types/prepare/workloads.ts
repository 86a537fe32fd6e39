/** Create and update preparation of Jobs, DaemonSets and Deployments. */
import { equal } from '../../../../patch/index.ts'
import type { Json } from '../../../../runtime/index.ts'
import { objectAt } from '../../defaults/fill.ts'
import { type ApiObject, withMetadata } from '../../object.ts'
import { type Preparation, specOf, withSpec } from './preparation.ts'

const controllerUid = 'batch.kubernetes.io/controller-uid'

/** A Job selects its pods by its own uid, unless `manualSelector` is set. */
export const jobPreparation: Preparation = {
  create(object) {
    const spec = specOf(object)
    if (spec['manualSelector'] === true) return object
    const { name, uid = '' } = object.metadata
    const template = objectAt(spec, 'template')
    const metadata = objectAt(template, 'metadata')
    const labels = {
      'job-name': name,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      [controllerUid]: uid,
      ...(objectAt(metadata, 'labels') as Record<string, string>),
    }
    const selector = objectAt(spec, 'selector')
    // A Job without labels gets those of its pod template.
    const isLabelled = !equal(object.metadata.labels ?? {}, objectAt(metadata, 'labels'))
    const labelled = isLabelled ? object : withMetadata(object, { labels })
    return withSpec(labelled, {
      selector: { ...selector, matchLabels: { [controllerUid]: uid, ...objectAt(selector, 'matchLabels') } },
      template: { ...template, metadata: { ...metadata, labels } },
    })
  },
}

const templateGeneration = 'deprecated.daemonset.template.generation'

function withTemplateGeneration(object: ApiObject, generation: number): ApiObject {
  return withMetadata(object, {
    annotations: { ...object.metadata.annotations, [templateGeneration]: String(generation) },
  })
}

export const daemonSetPreparation: Preparation = {
  create: (object) => withTemplateGeneration(object, 1),
  update(object, old, subresource) {
    if (subresource !== '') return object
    const before = Number(old.metadata.annotations?.[templateGeneration] ?? 1)
    const isChanged = !equal(specOf(object)['template'] ?? null, specOf(old)['template'] ?? null)
    return withTemplateGeneration(object, isChanged ? before + 1 : before)
  },
}

/** Annotations increase the generation: the Deployment controller copies them to its ReplicaSets. */
export const deploymentPreparation: Preparation = {
  update: (object, old, subresource) =>
    subresource === 'status' ? withMetadata(object, { labels: old.metadata.labels }) : object,
  isNewGeneration: (object, old) => !equal(annotationsOf(object), annotationsOf(old)),
}

function annotationsOf(object: ApiObject): Json {
  return object.metadata.annotations ?? {}
}
