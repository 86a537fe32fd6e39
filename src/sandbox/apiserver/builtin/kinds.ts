/** The rules of every built-in kind that has some, by `group/Kind`. */
import { isJsonObject } from '../../../runtime/json.ts'
import { at, withField } from '../object.ts'
import { timestamp } from '../timestamp.ts'
import { text, texts } from './fields.ts'
import { namespaceRules } from './namespaces.ts'
import { podRules } from './pods.ts'
import type { KindRules } from './rules.ts'
import { daemonSetRules, deploymentRules, jobRules, replicaSetRules, replicationControllerRules } from './workloads.ts'

const plain: KindRules = { generation: 'none' }
const rbac: KindRules = { generation: 'none', names: 'path', createOnUpdate: true }
const webhooks: KindRules = { unconditionalUpdate: false }

const eventFields = {
  ...texts('involvedObject.kind', 'involvedObject.namespace', 'involvedObject.name', 'involvedObject.uid'),
  ...texts('involvedObject.apiVersion', 'involvedObject.resourceVersion', 'involvedObject.fieldPath'),
  ...texts('reason', 'type', 'reportingComponent'),
  source: text('source.component'),
}

/** events.k8s.io names the same fields differently; events are kept in the core form. */
const regardingFields = Object.fromEntries(
  Object.entries(eventFields).map(([field, read]) => [
    field.replace('involvedObject', 'regarding').replace('reportingComponent', 'reportingController'),
    read,
  ]),
)

export const kindRules: Readonly<Record<string, KindRules>> = {
  '/ConfigMap': plain,
  '/Endpoints': { ...plain, createOnUpdate: true },
  '/Event': { ...plain, createOnUpdate: true, garbageCollection: 'Unsupported', fields: eventFields },
  '/LimitRange': { ...plain, createOnUpdate: true },
  '/Namespace': namespaceRules,
  '/Node': { ...plain, keepsStatus: true, fields: { 'spec.unschedulable': text('spec.unschedulable', 'false') } },
  '/PersistentVolume': {
    ...plain,
    returnsDeleted: true,
    create: (object, { now }) =>
      withField(object, 'status', { phase: 'Pending', lastPhaseTransitionTime: timestamp(now) }),
  },
  '/PersistentVolumeClaim': {
    ...plain,
    returnsDeleted: true,
    create: (object) => withField(object, 'status', { phase: 'Pending' }),
  },
  '/Pod': podRules,
  '/PodTemplate': { returnsDeleted: true },
  '/ReplicationController': replicationControllerRules,
  '/ResourceQuota': {
    ...plain,
    returnsDeleted: true,
    create: (object) => withField(object, 'status', {}),
  },
  '/Secret': {
    ...plain,
    update: (object, old) => (object['type'] ? object : withField(object, 'type', old['type'])),
    fields: texts('type'),
  },
  '/Service': {
    ...plain,
    createOnUpdate: true,
    returnsDeleted: true,
    names: 'service',
    create: (object) => withField(object, 'status', { loadBalancer: {} }),
    fields: texts('spec.clusterIP', 'spec.type'),
  },
  '/ServiceAccount': { ...plain, returnsDeleted: true },
  'apps/ControllerRevision': plain,
  'apps/DaemonSet': daemonSetRules,
  'apps/Deployment': deploymentRules,
  'apps/ReplicaSet': replicaSetRules,
  'autoscaling/HorizontalPodAutoscaler': plain,
  'batch/Job': jobRules,
  'coordination.k8s.io/Lease': { ...plain, createOnUpdate: true, unconditionalUpdate: false },
  'events.k8s.io/Event': {
    ...plain,
    createOnUpdate: true,
    garbageCollection: 'Unsupported',
    fields: regardingFields,
  },
  'policy/PodDisruptionBudget': {
    unconditionalUpdate: false,
    create: (object) =>
      withField(object, 'status', { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 }),
  },
  'rbac.authorization.k8s.io/ClusterRole': rbac,
  'rbac.authorization.k8s.io/ClusterRoleBinding': rbac,
  'rbac.authorization.k8s.io/Role': rbac,
  'rbac.authorization.k8s.io/RoleBinding': rbac,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhooks,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhooks,
  'storage.k8s.io/StorageClass': { ...plain, returnsDeleted: true },
  'networking.k8s.io/Ingress': {
    create: (object) => withField(object, 'status', { loadBalancer: {} }),
    update: (object, old) => (isJsonObject(at(object, 'status')) ? object : withField(object, 'status', old['status'])),
  },
}
