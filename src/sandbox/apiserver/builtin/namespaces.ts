/** Rules of namespaces: the finalizer of the namespace controller, the phase and the label with the name. */
import { isJsonObject } from '../../../runtime/json.ts'
import { type ApiObject, at, withField, withMetadata } from '../object.ts'
import { texts } from './fields.ts'
import type { KindRules } from './rules.ts'

export const namespaceRules: KindRules = {
  generation: 'none',
  names: 'label',
  returnsDeleted: true,
  create(namespace) {
    const spec = at(namespace, 'spec')
    const finalizers = finalizersOf(namespace)
    const all = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes']
    const active = withField(namespace, 'status', { phase: 'Active' })
    return labelled(withField(active, 'spec', { ...(isJsonObject(spec) ? spec : {}), finalizers: all }))
  },
  update(namespace, old, subresource) {
    if (subresource === 'finalize') return labelled(withField(namespace, 'status', old['status']))
    if (subresource !== '') return labelled(namespace)
    return labelled(withField(namespace, 'spec', old['spec']))
  },
  held: (namespace) => finalizersOf(namespace).length > 0,
  fields: texts('status.phase'),
}

function finalizersOf(namespace: ApiObject): readonly string[] {
  const finalizers = at(namespace, 'spec', 'finalizers')
  return Array.isArray(finalizers) ? (finalizers as readonly string[]) : []
}

function labelled(namespace: ApiObject): ApiObject {
  const { name, labels } = namespace.metadata
  return withMetadata(namespace, { labels: { ...labels, 'kubernetes.io/metadata.name': name } })
}
