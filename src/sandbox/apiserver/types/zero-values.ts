/**
 * Rules for empty fields that the published schemas lack, by definition. Optional fields with a significant zero value
 * are kept (`replicas: 0`), others are dropped (`hostPort: 0`), and some fields are written as null when unset.
 */
const significant: Readonly<Record<string, string>> = {
  'admissionregistration.v1.MutatingWebhook': 'failurePolicy matchPolicy reinvocationPolicy sideEffects timeoutSeconds',
  'admissionregistration.v1.ServiceReference': 'path port',
  'admissionregistration.v1.ValidatingWebhook': 'failurePolicy matchPolicy sideEffects timeoutSeconds',
  'apiextensions.v1.JSONSchemaProps':
    'maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf x-kubernetes-preserve-unknown-fields',
  'apiextensions.v1.ServiceReference': 'path port',
  'apiextensions.v1.ValidationRule': 'optionalOldSelf',
  'apps.v1.DaemonSetSpec': 'revisionHistoryLimit',
  'apps.v1.DaemonSetStatus': 'collisionCount',
  'apps.v1.DeploymentSpec': 'progressDeadlineSeconds replicas revisionHistoryLimit',
  'apps.v1.DeploymentStatus': 'collisionCount terminatingReplicas',
  'apps.v1.ReplicaSetSpec': 'replicas',
  'apps.v1.ReplicaSetStatus': 'terminatingReplicas',
  'apps.v1.RollingUpdateDaemonSet': 'maxSurge maxUnavailable',
  'apps.v1.RollingUpdateDeployment': 'maxSurge maxUnavailable',
  'apps.v1.RollingUpdateStatefulSetStrategy': 'maxUnavailable partition',
  'apps.v1.StatefulSetSpec': 'replicas revisionHistoryLimit',
  'apps.v1.StatefulSetStatus': 'collisionCount',
  'authentication.v1.TokenRequestSpec': 'expirationSeconds',
  'autoscaling.v1.HorizontalPodAutoscalerSpec': 'minReplicas targetCPUUtilizationPercentage',
  'autoscaling.v1.HorizontalPodAutoscalerStatus': 'currentCPUUtilizationPercentage observedGeneration',
  'autoscaling.v2.HPAScalingRules': 'stabilizationWindowSeconds',
  'autoscaling.v2.HorizontalPodAutoscalerSpec': 'minReplicas',
  'autoscaling.v2.HorizontalPodAutoscalerStatus': 'observedGeneration',
  'autoscaling.v2.MetricTarget': 'averageUtilization',
  'autoscaling.v2.MetricValueStatus': 'averageUtilization',
  'batch.v1.CronJobSpec': 'failedJobsHistoryLimit startingDeadlineSeconds successfulJobsHistoryLimit suspend timeZone',
  'batch.v1.JobSpec':
    'activeDeadlineSeconds backoffLimit backoffLimitPerIndex completions manualSelector maxFailedIndexes parallelism suspend ttlSecondsAfterFinished',
  'batch.v1.JobStatus': 'failedIndexes ready terminating',
  'batch.v1.SuccessPolicyRule': 'succeededCount succeededIndexes',
  'coordination.v1.LeaseSpec': 'holderIdentity leaseDurationSeconds leaseTransitions preferredHolder',
  'core.v1.AzureDiskVolumeSource': 'readOnly',
  'core.v1.CSIVolumeSource': 'fsType readOnly',
  'core.v1.ClientIPConfig': 'timeoutSeconds',
  'core.v1.ClusterTrustBundleProjection': 'optional',
  'core.v1.ConfigMap': 'immutable',
  'core.v1.ConfigMapEnvSource': 'optional',
  'core.v1.ConfigMapKeySelector': 'optional',
  'core.v1.ConfigMapProjection': 'optional',
  'core.v1.ConfigMapVolumeSource': 'defaultMode optional',
  'core.v1.ContainerStatus': 'started',
  'core.v1.DownwardAPIVolumeFile': 'mode',
  'core.v1.DownwardAPIVolumeSource': 'defaultMode',
  'core.v1.EndpointAddress': 'nodeName',
  'core.v1.FCVolumeSource': 'lun',
  'core.v1.FileKeySelector': 'optional',
  'core.v1.GRPCAction': 'service',
  'core.v1.HostPathVolumeSource': 'type',
  'core.v1.KeyToPath': 'mode',
  'core.v1.NodeFeatures': 'supplementalGroupsPolicy',
  'core.v1.NodeRuntimeHandlerFeatures': 'recursiveReadOnlyMounts userNamespaces',
  'core.v1.NodeSwapStatus': 'capacity',
  'core.v1.PersistentVolumeClaimSpec': 'storageClassName volumeAttributesClassName',
  'core.v1.PersistentVolumeSpec': 'volumeAttributesClassName',
  'core.v1.PodCertificateProjection': 'maxExpirationSeconds',
  'core.v1.PodDNSConfigOption': 'value',
  'core.v1.PodSecurityContext': 'fsGroup runAsGroup runAsNonRoot runAsUser',
  'core.v1.PodSpec':
    'activeDeadlineSeconds automountServiceAccountToken enableServiceLinks hostUsers priority runtimeClassName setHostnameAsFQDN shareProcessNamespace terminationGracePeriodSeconds',
  'core.v1.Probe': 'terminationGracePeriodSeconds',
  'core.v1.ProjectedVolumeSource': 'defaultMode',
  'core.v1.ReplicationControllerSpec': 'replicas',
  'core.v1.Secret': 'immutable',
  'core.v1.SecretEnvSource': 'optional',
  'core.v1.SecretKeySelector': 'optional',
  'core.v1.SecretProjection': 'optional',
  'core.v1.SecretVolumeSource': 'defaultMode optional',
  'core.v1.SecurityContext':
    'allowPrivilegeEscalation privileged readOnlyRootFilesystem runAsGroup runAsNonRoot runAsUser',
  'core.v1.ServiceAccount': 'automountServiceAccountToken',
  'core.v1.ServiceAccountTokenProjection': 'expirationSeconds',
  'core.v1.ServiceSpec': 'allocateLoadBalancerNodePorts loadBalancerClass trafficDistribution',
  'core.v1.Toleration': 'tolerationSeconds',
  'core.v1.TopologySpreadConstraint': 'minDomains',
  'core.v1.TypedLocalObjectReference': 'apiGroup',
  'core.v1.TypedObjectReference': 'apiGroup namespace',
  'core.v1.WindowsSecurityContextOptions': 'gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName',
  'discovery.v1.Endpoint': 'hostname nodeName zone',
  'discovery.v1.EndpointConditions': 'ready serving terminating',
  'discovery.v1.EndpointPort': 'appProtocol name port',
  'meta.v1.DeleteOptions': 'gracePeriodSeconds orphanDependents',
  'meta.v1.ListMeta': 'remainingItemCount',
  'meta.v1.ObjectMeta': 'deletionGracePeriodSeconds',
  'meta.v1.OwnerReference': 'blockOwnerDeletion controller',
  'networking.v1.IngressSpec': 'ingressClassName',
  'networking.v1.NetworkPolicyPort': 'endPort',
  'policy.v1.PodDisruptionBudgetSpec': 'maxUnavailable minAvailable',
  'storage.v1.CSIDriverSpec': 'attachRequired podInfoOnMount requiresRepublish seLinuxMount storageCapacity',
  'storage.v1.StorageClass': 'allowVolumeExpansion',
  'storage.v1.VolumeNodeResources': 'count',
}

const sets = new Map<string, ReadonlySet<string>>()

/** Optional fields of a definition for which 0, false and empty text are significant. */
export function significantZeros(definition: string): ReadonlySet<string> {
  let set = sets.get(definition)
  if (set === undefined) {
    set = new Set((significant[definition] ?? '').split(' '))
    sets.set(definition, set)
  }
  return set
}

const nulls: Readonly<Record<string, string>> = {
  'apiextensions.v1.CustomResourceDefinitionCondition': 'lastTransitionTime',
  'apiextensions.v1.CustomResourceDefinitionStatus': 'conditions storedVersions',
  'apps.v1.DaemonSetCondition': 'lastTransitionTime',
  'apps.v1.DeploymentCondition': 'lastTransitionTime lastUpdateTime',
  'apps.v1.ReplicaSetCondition': 'lastTransitionTime',
  'apps.v1.StatefulSetCondition': 'lastTransitionTime',
  'autoscaling.v2.HorizontalPodAutoscalerCondition': 'lastTransitionTime',
  'autoscaling.v2.HorizontalPodAutoscalerStatus': 'currentMetrics',
  'batch.v1.JobCondition': 'lastProbeTime lastTransitionTime',
  'core.v1.ContainerStateRunning': 'startedAt',
  'core.v1.ContainerStateTerminated': 'finishedAt startedAt',
  'core.v1.Event': 'eventTime firstTimestamp lastTimestamp',
  'core.v1.EventSeries': 'lastObservedTime',
  'core.v1.LimitRangeSpec': 'limits',
  'core.v1.NamespaceCondition': 'lastTransitionTime',
  'core.v1.NodeCondition': 'lastHeartbeatTime lastTransitionTime',
  'core.v1.PersistentVolumeClaimCondition': 'lastProbeTime lastTransitionTime',
  'core.v1.PodCondition': 'lastProbeTime lastTransitionTime',
  'core.v1.PodSpec': 'containers',
  'core.v1.ProjectedVolumeSource': 'sources',
  'core.v1.ReplicationControllerCondition': 'lastTransitionTime',
  'discovery.v1.Endpoint': 'addresses',
  'discovery.v1.EndpointSlice': 'endpoints ports',
  'events.v1.Event': 'deprecatedFirstTimestamp deprecatedLastTimestamp eventTime',
  'events.v1.EventSeries': 'lastObservedTime',
  'meta.v1.Condition': 'lastTransitionTime',
  'rbac.v1.ClusterRole': 'rules',
  'rbac.v1.PolicyRule': 'verbs',
  'rbac.v1.Role': 'rules',
}

/** Fields of a definition that are written as null when unset. */
export function nullFields(definition: string): readonly string[] {
  return nulls[definition]?.split(' ') ?? []
}
