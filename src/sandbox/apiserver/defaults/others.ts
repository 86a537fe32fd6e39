/** Defaults of the remaining groups. */
import type { JsonObject } from '../../../runtime/index.ts'
import { changed, type DefaultRule, fill, filled, listAt, objectAt } from './fill.ts'

const rbacGroup = 'rbac.authorization.k8s.io'
const roleRef: DefaultRule = (value) => changed(value, 'roleRef', fill({ apiGroup: rbacGroup }))
const subject: DefaultRule = (value) =>
  value['kind'] === 'User' || value['kind'] === 'Group' ? filled(value, { apiGroup: rbacGroup }) : value

const webhook: JsonObject = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
}

const scaleUp: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const scaleDown: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

const autoscaler: DefaultRule = (value) =>
  changed(value, 'spec', (given) => {
    const spec = filled(given, { minReplicas: 1 })
    const metrics = listAt(spec, 'metrics').length > 0
    const measured: JsonObject = metrics
      ? spec
      : {
          ...spec,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          ],
        }
    if (measured['behavior'] === undefined) return measured
    return changed(measured, 'behavior', (behavior) => ({
      ...behavior,
      scaleUp: filled(objectAt(behavior, 'scaleUp'), scaleUp),
      scaleDown: filled(objectAt(behavior, 'scaleDown'), scaleDown),
    }))
  })

const networkPolicy: DefaultRule = (value) =>
  changed(value, 'spec', (spec) =>
    filled(spec, { policyTypes: listAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'] }),
  )

const customResourceDefinition: DefaultRule = (value) => {
  const defaulted = changed(value, 'spec', (spec) => {
    const kind = String(objectAt(spec, 'names')['kind'] ?? '')
    const named = changed(spec, 'names', (names) =>
      kind === '' ? names : filled(names, { singular: kind.toLowerCase(), listKind: `${kind}List` }),
    )
    return filled(named, { conversion: { strategy: 'None' } })
  })
  const stored = listAt(objectAt(defaulted, 'spec'), 'versions').find((version) => version['storage'] === true)
  if (stored === undefined) return defaulted
  return changed(defaulted, 'status', (status) =>
    Array.isArray(status['storedVersions']) && status['storedVersions'].length > 0
      ? status
      : { ...status, storedVersions: [stored['name'] ?? ''] },
  )
}

export const otherDefaults: Readonly<Record<string, DefaultRule>> = {
  'rbac.v1.ClusterRoleBinding': roleRef,
  'rbac.v1.RoleBinding': roleRef,
  'rbac.v1.Subject': subject,
  'admissionregistration.v1.ValidatingWebhook': fill(webhook),
  'admissionregistration.v1.MutatingWebhook': fill({ ...webhook, reinvocationPolicy: 'Never' }),
  'admissionregistration.v1.RuleWithOperations': fill({ scope: '*' }),
  'admissionregistration.v1.ServiceReference': fill({ port: 443 }),
  'apiextensions.v1.ServiceReference': fill({ port: 443 }),
  'apiextensions.v1.CustomResourceDefinition': customResourceDefinition,
  'autoscaling.v2.HorizontalPodAutoscaler': autoscaler,
  'autoscaling.v1.HorizontalPodAutoscaler': (value) => changed(value, 'spec', fill({ minReplicas: 1 })),
  'networking.v1.NetworkPolicy': networkPolicy,
  'networking.v1.NetworkPolicyPort': fill({ protocol: 'TCP' }),
  'networking.v1.IngressClassSpec': (value) =>
    value['parameters'] === undefined ? value : changed(value, 'parameters', fill({ scope: 'Cluster' })),
  'discovery.v1.EndpointPort': (value) => filled('name' in value ? value : { ...value, name: '' }, { protocol: 'TCP' }),
  'scheduling.v1.PriorityClass': fill({ preemptionPolicy: 'PreemptLowerPriority' }),
  'storage.v1.StorageClass': fill({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'storage.v1.CSIDriver': (value) =>
    changed(
      value,
      'spec',
      fill({
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
        volumeLifecycleModes: ['Persistent'],
        requiresRepublish: false,
        seLinuxMount: false,
      }),
    ),
}
