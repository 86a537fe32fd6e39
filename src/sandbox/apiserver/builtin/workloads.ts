/** Rules of the apps and batch kinds: generations, templates' generations and the selectors that Jobs get by themselves. */
import { isJsonObject, type JsonObject } from '../../../runtime/json.ts'
import { type ApiObject, at, withField } from '../object.ts'
import { equal } from '../storage/share.ts'
import { text } from './fields.ts'
import type { KindRules } from './rules.ts'

export const deploymentRules: KindRules = {
  generation: 'counted with annotations',
  update: (object, old, subresource) =>
    subresource === 'status' ? { ...object, metadata: { ...object.metadata, ...labelsOf(old) } } : object,
}

function labelsOf({ metadata }: ApiObject): { labels?: Readonly<Record<string, string>> } {
  return metadata.labels === undefined ? {} : { labels: metadata.labels }
}

export const replicaSetRules: KindRules = { fields: { 'status.replicas': text('status.replicas', '0') } }

/** Served in its old version, so that its dependents stay unless the client says otherwise. */
export const replicationControllerRules: KindRules = {
  garbageCollection: 'Orphan',
  fields: { 'status.replicas': text('status.replicas', '0') },
}

export const daemonSetRules: KindRules = {
  create: (object) => withTemplateGeneration(object, 1),
  update(object, old, subresource) {
    if (subresource !== '') return object
    const before = at(old, 'spec', 'templateGeneration')
    const generation = typeof before === 'number' ? before : 1
    const changed = !equal(at(object, 'spec', 'template'), at(old, 'spec', 'template'))
    return withTemplateGeneration(object, changed ? generation + 1 : generation)
  },
}

/** A field of the old API that the storage still holds and that nobody sees. */
function withTemplateGeneration(object: ApiObject, generation: number): ApiObject {
  const key = 'deprecated.daemonset.template.generation'
  const annotations = { ...object.metadata.annotations, [key]: String(generation) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

export const jobRules: KindRules = {
  garbageCollection: 'Orphan',
  create: generateSelector,
  fields: { 'status.successful': text('status.succeeded', '0') },
}

/** Unless the client brings its own, a Job selects its pods by its uid and puts four labels on them. */
function generateSelector(job: ApiObject): ApiObject {
  const spec = at(job, 'spec')
  if (!isJsonObject(spec) || spec['manualSelector'] === true) return job
  const uid = job.metadata.uid ?? ''
  const own = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': job.metadata.name,
    'controller-uid': uid,
    'job-name': job.metadata.name,
  }
  const template = objectAt(spec, 'template')
  const metadata = objectAt(template, 'metadata')
  const labels = { ...objectAt(metadata, 'labels'), ...own }
  const selector = objectAt(spec, 'selector')
  const matchLabels = {
    ...objectAt(selector, 'matchLabels'),
    'batch.kubernetes.io/controller-uid': uid,
  }
  return withField(job, 'spec', {
    ...spec,
    selector: { ...selector, matchLabels },
    template: { ...template, metadata: { ...metadata, labels } },
  })
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key]
  return isJsonObject(found) ? found : {}
}
