/** What the engine must be allowed to do in the cluster, and nothing more. */
import type { GateKind } from './gate/kinds.ts'
import { webhookConfigurationName } from './gate/webhook-configuration.ts'
import { certificateSecret } from './gate/webhook-server.ts'

/** As RBAC has it. */
export interface AccessRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

const watched = ['get', 'list', 'watch']
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): AccessRule => ({
  apiGroups: [group],
  resources,
  verbs,
})

const engineRules: readonly AccessRule[] = [
  rule('carabiner.dev', ['rolloutpolicies'], [...watched, 'patch']),
  rule('carabiner.dev', ['rolloutpolicies/status'], ['update']),
  rule('apps', ['deployments', 'statefulsets', 'daemonsets'], [...watched, 'patch']),
  // Failures are told in the status that kubectl reads.
  rule('apps', ['deployments/status'], ['get', 'update', 'patch']),
  rule('apps', ['replicasets'], [...watched, 'create', 'patch', 'delete']),
  // Some clusters require it of a client that sets blockOwnerDeletion for a Deployment.
  rule('apps', ['deployments/finalizers'], ['update']),
  rule('apps', ['controllerrevisions'], [...watched, 'patch']),
  rule('batch', ['jobs'], [...watched, 'create', 'delete']),
  rule('', ['pods'], [...watched, 'create', 'delete']),
  // The journal: how hooks ended and what they wrote.
  rule('', ['pods/log'], ['get']),
  rule('', ['configmaps'], ['get', 'create', 'patch']),
  rule('events.k8s.io', ['events'], ['create', 'patch']),
]

const registration = 'admissionregistration.k8s.io'
const webhookConfigurations = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']

/** The installation writes policies; the process that serves a webhook writes its authority. */
const gateRules: Readonly<Record<GateKind, readonly AccessRule[]>> = {
  policies: [rule(registration, ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'], watched)],
  webhook: [
    rule(registration, webhookConfigurations, watched),
    {
      ...rule(registration, webhookConfigurations, ['patch']),
      resourceNames: [webhookConfigurationName],
    },
  ],
  'at-rest': [],
}

const certificateRules: readonly AccessRule[] = [
  rule('', ['secrets'], ['create']),
  { ...rule('', ['secrets'], ['get', 'update']), resourceNames: [certificateSecret] },
]

export function rulesFor(gate: GateKind): readonly AccessRule[] {
  return [...engineRules, ...gateRules[gate]]
}

/** In the operator's own namespace. */
export function ownRulesFor(gate: GateKind): readonly AccessRule[] {
  return gate === 'webhook' ? certificateRules : []
}
