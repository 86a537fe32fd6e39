/** Create and update preparation of namespaces, nodes, volumes and custom resource definitions. */
import type { Json } from '../../../../runtime/index.ts'
import { listAt } from '../../defaults/fill.ts'
import { at, withField } from '../../object.ts'
import { type Preparation, specOf, withSpec, withStatus } from './preparation.ts'

const namespaceFinalizer = 'kubernetes'

export const namespacePreparation: Preparation = {
  create(object) {
    const given = specOf(object)['finalizers']
    const finalizers = Array.isArray(given) ? (given as readonly string[]) : []
    return withStatus(
      withSpec(object, {
        finalizers: finalizers.includes(namespaceFinalizer) ? finalizers : [...finalizers, namespaceFinalizer],
      }),
      { phase: 'Active' },
    )
  },
  update(object, old, subresource) {
    if (subresource === 'finalize') return withField(object, 'status', old['status'])
    return subresource === '' ? withSpec(object, { finalizers: specOf(old)['finalizers'] }) : object
  },
}

export const pendingPreparation: Preparation = { create: (object) => withStatus(object, { phase: 'Pending' }) }

export const nodePreparation: Preparation = { createsStatus: true }

export const volumePreparation: Preparation = {
  create: (object) =>
    withStatus(object, { phase: 'Pending', lastPhaseTransitionTime: object.metadata.creationTimestamp ?? null }),
}

/** `storedVersions` lists every version in which objects were ever stored. */
export const definitionPreparation: Preparation = {
  update(object, _old, subresource) {
    if (subresource !== '') return object
    const storage = listAt(specOf(object), 'versions').find((version) => version['storage'] === true)?.['name']
    const stored = at(object, 'status', 'storedVersions')
    const known = Array.isArray(stored) ? (stored as readonly Json[]) : []
    if (storage === undefined || known.includes(storage)) return object
    return withStatus(object, { storedVersions: [...known, storage] })
  },
}
