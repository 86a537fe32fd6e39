/**
 * The bootstrap RBAC policy in short notation: verbs, groups, resources (and names), or verbs and paths. Roles of
 * components the sandbox does not run are left out.
 */
import type { JsonObject } from '../../../runtime/index.ts'
import type { Rule } from '../authz/rules.ts'

const read = 'get,list,watch'
const write = 'create,delete,deletecollection,patch,update'
const all = 'create,delete,deletecollection,get,list,patch,update,watch'

/** `verbs | groups | resources | names`, with `/` for paths instead of groups. */
const roles: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['*|*|*', '*|/|*'],
  'system:discovery': [
    'get|/|/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/',
  ],
  'system:basic-user': [
    'create|authorization.k8s.io|selfsubjectaccessreviews,selfsubjectrulesreviews',
    'create|authentication.k8s.io|selfsubjectreviews',
  ],
  'system:public-info-viewer': ['get|/|/healthz,/livez,/readyz,/version,/version/'],
  'system:monitoring': [
    'get|/|/flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz',
    'get||nodes/metrics',
  ],
  'system:auth-delegator': [
    'create|authentication.k8s.io|tokenreviews',
    'create|authorization.k8s.io|subjectaccessreviews',
  ],
  'system:kube-scheduler': [
    'create,patch,update|,events.k8s.io|events',
    'create|coordination.k8s.io|leases',
    'get,list,update,watch|coordination.k8s.io|leases|kube-scheduler',
    `${read}||nodes`,
    'delete,get,list,watch||pods',
    'create||bindings,pods/binding',
    'patch,update||pods/status',
    `${read}||replicationcontrollers,services`,
    `${read}|apps,extensions|replicasets`,
    `${read}|apps|statefulsets`,
    `${read}|policy|poddisruptionbudgets`,
    `${read}||persistentvolumeclaims,persistentvolumes`,
    'create|authentication.k8s.io|tokenreviews',
    'create|authorization.k8s.io|subjectaccessreviews',
    `${read}|storage.k8s.io|csinodes`,
    `${read}||namespaces`,
  ],
  'system:kube-controller-manager': [
    'create,patch,update|,events.k8s.io|events',
    'create|coordination.k8s.io|leases',
    'get,update|coordination.k8s.io|leases|kube-controller-manager',
    'create||secrets,serviceaccounts',
    'delete||secrets',
    'get||configmaps,namespaces,secrets,serviceaccounts',
    'update||secrets,serviceaccounts',
    'create|authentication.k8s.io|tokenreviews',
    'create|authorization.k8s.io|subjectaccessreviews',
    'list,watch|*|*',
    'create||serviceaccounts/token',
  ],
  'system:node': [
    'create|authentication.k8s.io|tokenreviews',
    'create|authorization.k8s.io|localsubjectaccessreviews,subjectaccessreviews',
    `${read}||services`,
    'create,get,list,watch||nodes',
    'patch,update||nodes/status',
    'patch,update||nodes',
    'create,patch,update|,events.k8s.io|events',
    `${read}||pods`,
    'create,delete||pods',
    'patch,update||pods/status',
    'create||pods/eviction',
    `${read}||configmaps,secrets`,
    'get||persistentvolumeclaims,persistentvolumes',
    'get||endpoints',
    'create,delete,get,patch,update|coordination.k8s.io|leases',
    'create||serviceaccounts/token',
    'get||serviceaccounts',
  ],
  'system:aggregate-to-admin': [
    'create|authorization.k8s.io|localsubjectaccessreviews',
    `${all}|rbac.authorization.k8s.io|rolebindings,roles`,
  ],
  'system:aggregate-to-edit': [
    `${read}||pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy`,
    'impersonate||serviceaccounts',
    `${write}||pods,pods/attach,pods/exec,pods/portforward,pods/proxy`,
    'create||pods/eviction',
    `${write}||configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy`,
    'create||serviceaccounts/token',
    `${write}|,events.k8s.io|events`,
    `${write}|apps|daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale`,
    `${write}|autoscaling|horizontalpodautoscalers`,
    `${write}|batch|cronjobs,jobs`,
    `${write}|policy|poddisruptionbudgets`,
    `${write}|networking.k8s.io|ingresses,networkpolicies`,
    `${all}|coordination.k8s.io|leases`,
  ],
  'system:aggregate-to-view': [
    `${read}||configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status`,
    `${read}||bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status`,
    `${read}||namespaces`,
    `${read}|,events.k8s.io|events`,
    `${read}|discovery.k8s.io|endpointslices`,
    `${read}|apps|controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status`,
    `${read}|autoscaling|horizontalpodautoscalers,horizontalpodautoscalers/status`,
    `${read}|batch|cronjobs,cronjobs/status,jobs,jobs/status`,
    `${read}|policy|poddisruptionbudgets,poddisruptionbudgets/status`,
    `${read}|networking.k8s.io|ingresses,ingresses/status,networkpolicies`,
  ],
}

/** Aggregated roles: they hold the rules of all roles with their label. */
const aggregated = ['admin', 'edit', 'view']

const subjects: Readonly<Record<string, readonly [string, string][]>> = {
  'cluster-admin': [['Group', 'system:masters']],
  'system:basic-user': [['Group', 'system:authenticated']],
  'system:discovery': [['Group', 'system:authenticated']],
  'system:kube-controller-manager': [['User', 'system:kube-controller-manager']],
  'system:kube-scheduler': [['User', 'system:kube-scheduler']],
  'system:monitoring': [['Group', 'system:monitoring']],
  'system:node': [],
  'system:public-info-viewer': [
    ['Group', 'system:authenticated'],
    ['Group', 'system:unauthenticated'],
  ],
}

const group = 'rbac.authorization.k8s.io'

function named(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  }
}

export function defaultClusterRoles(): readonly JsonObject[] {
  const plain = Object.entries(roles).map(([name, rules]) => ({
    metadata: named(name, aggregationLabels(name)),
    rules: rules.map(ruleOf) as readonly object[] as readonly JsonObject[],
  }))
  const sums = aggregated.map((name) => ({
    metadata: named(
      name,
      name === 'admin' ? {} : aggregationLabels(`system:aggregate-to-${name === 'edit' ? 'admin' : 'edit'}`),
    ),
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { [`${group}/aggregate-to-${name}`]: 'true' } }],
    },
    rules: [],
  }))
  return [...plain, ...sums]
}

function aggregationLabels(name: string): Record<string, string> {
  const [, target] = /^system:(aggregate-to-\w+)$/.exec(name) ?? []
  return target === undefined ? {} : { [`${group}/${target}`]: 'true' }
}

export function defaultClusterRoleBindings(): readonly JsonObject[] {
  return Object.entries(subjects).map(([name, list]) => ({
    metadata: named(name),
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
    ...(list.length === 0 ? {} : { subjects: list.map(([kind, who]) => ({ apiGroup: group, kind, name: who })) }),
  }))
}

function ruleOf(text: string): Rule {
  const [verbs = '', groups = '', resources = '', names = ''] = text.split('|')
  if (groups === '/') return { verbs: verbs.split(','), nonResourceURLs: resources.split(',') }
  return {
    verbs: verbs.split(','),
    apiGroups: groups.split(','),
    resources: resources.split(','),
    ...(names === '' ? {} : { resourceNames: names.split(',') }),
  }
}
