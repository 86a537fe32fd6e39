/** What the server decides about namespaces, claims and definitions of resources. */
import { withField } from '../../object.ts'
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
