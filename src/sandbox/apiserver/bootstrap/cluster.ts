/** Creates the objects every cluster starts with: namespaces, roles, priority classes and the kubernetes Service. */
import type { JsonObject, Runtime } from '../../../runtime/index.ts'
import { type ApiObject, withMetadata } from '../object.ts'
import type { Registry } from '../registry.ts'
import { newMetadata } from '../rest/metadata.ts'
import { apiVersionOf, keyOf } from '../rest/request.ts'
import type { Store } from '../storage/store.ts'
import { timestamp } from '../timestamp.ts'
import { defaultClusterRoleBindings, defaultClusterRoles } from './roles.ts'

const rbac = 'rbac.authorization.k8s.io'

export function bootstrap(runtime: Runtime, store: Store, registry: Registry): void {
  const put = (group: string, version: string, resource: string, object: JsonObject): void => {
    const served = registry.find(group, version, resource)
    if (served === undefined) return
    const full = { ...object, apiVersion: apiVersionOf(served), kind: served.kind } as ApiObject
    const facts = { uid: runtime.random.uuid(), created: timestamp(runtime.clock.now()) }
    const fresh = newMetadata(withMetadata(full, {}), facts)
    const ready = served.strategy.prepareForCreate(served.strategy.default(fresh))
    store.collection(served.storage).put(keyOf(served, ready.metadata.namespace ?? '', ready.metadata.name), ready)
  }
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
    put('', 'v1', 'namespaces', { metadata: { name } })
    // The service account controller creates the same account; creating it here means pods need not wait for it.
    put('', 'v1', 'serviceaccounts', { metadata: { name: 'default', namespace: name } })
  }
  for (const role of defaultClusterRoles()) put(rbac, 'v1', 'clusterroles', role)
  for (const binding of defaultClusterRoleBindings()) put(rbac, 'v1', 'clusterrolebindings', binding)
  for (const [name, value, description] of priorityClasses) {
    put('scheduling.k8s.io', 'v1', 'priorityclasses', { metadata: { name }, value, description })
  }
  put('', 'v1', 'services', kubernetesService)
}

const priorityClasses = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ],
] as const

const kubernetesService: JsonObject = {
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    sessionAffinity: 'None',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  },
}
