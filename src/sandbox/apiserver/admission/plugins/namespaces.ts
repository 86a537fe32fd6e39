/**
 * NamespaceLifecycle: refuses objects in namespaces that do not exist or are terminating, and the deletion of system
 * namespaces.
 */
import { forbidden, notFound, qualified, StatusError } from '../../status/status-error.ts'
import type { Store } from '../../storage/store.ts'
import type { Attributes } from '../admission.ts'
import type { Plugin } from '../chain.ts'

const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public'])

export function namespaceLifecycle(store: Store): Plugin {
  const namespaces = store.collection({ group: '', resource: 'namespaces' })
  const check = ({ operation, resource, namespace, name }: Attributes): void => {
    if (resource.group === '' && resource.resource === 'namespaces') {
      if (operation === 'DELETE' && immortalNamespaces.has(name)) {
        throw forbidden(resource, name, 'this namespace may not be deleted')
      }
      return
    }
    if (!resource.namespaced || operation === 'DELETE') return
    // Access reviews name a namespace but are not stored in it.
    if (resource.group === 'authorization.k8s.io') return
    const found = namespaces.get(namespace)?.object
    if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace)
    if (operation === 'CREATE' && found.metadata.deletionTimestamp !== undefined)
      throw terminating(resource, namespace, name)
  }
  return {
    mutate(attributes) {
      check(attributes)
      return undefined
    },
  }
}

function terminating(resource: Attributes['resource'], namespace: string, name: string): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  const what = name === '' ? qualified(resource) : `${qualified(resource)} ${JSON.stringify(name)}`
  return new StatusError(403, 'Forbidden', `${what} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.resource,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}
