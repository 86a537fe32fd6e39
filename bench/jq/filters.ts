/**
 * Thirty filters as hooks use them on pods, and a pod of about 6 KB.
 */
import type { Json } from '../../src/runtime/json.ts'

export const filters: readonly string[] = [
  '.metadata.name',
  '.metadata.labels',
  '.metadata.labels.app',
  '.spec.nodeName // "none"',
  '.spec.replicas // 1',
  '{name: .metadata.name, namespace: .metadata.namespace, uid: .metadata.uid, phase: .status.phase}',
  '{name: .metadata.name, labels: .metadata.labels, annotations: .metadata.annotations}',
  '.status.phase == "Running"',
  '.metadata.annotations["prometheus.io/scrape"] == "true"',
  '.status.conditions[] | select(.type == "Ready") | .status',
  '.status.conditions | map(select(.status == "True") | .type)',
  '[.status.conditions[] | select(.type == "Ready" and .status == "True")] | length > 0',
  'any(.status.conditions[]; .type == "Ready" and .status == "True")',
  '[.spec.containers[].image]',
  '.spec.containers | map({name, image})',
  '[.spec.containers[] | {name: .name, cpu: .resources.requests.cpu, memory: .resources.limits.memory}]',
  '.spec.containers[0].ports[0].containerPort',
  '[.spec.containers[].ports[]? | .containerPort]',
  '.metadata.labels | to_entries | map(select(.key | startswith("app"))) | from_entries',
  '.metadata.labels | with_entries(.value |= ascii_upcase)',
  '.metadata.labels | keys',
  '.metadata.labels | has("app")',
  '[.metadata.ownerReferences[]? | select(.controller == true) | .kind] | first // "none"',
  '.status.containerStatuses | map(.restartCount) | add',
  'if .metadata.deletionTimestamp then "terminating" elif .status.phase == "Pending" then "waiting" else "alive" end',
  '"\\(.metadata.namespace)/\\(.metadata.name)"',
  'del(.metadata.managedFields, .status)',
  '.metadata.labels.managed = "yes"',
  '.spec.containers |= map(del(.env))',
  'reduce .spec.containers[] as $c ({}; .[$c.name] = $c.image)',
]

const condition = (type: string, minute: number): Json => ({
  type,
  status: 'True',
  lastProbeTime: null,
  lastTransitionTime: `2026-05-04T10:${String(minute).padStart(2, '0')}:00Z`,
})

const container = (name: string, port: number): Json => ({
  name,
  image: `registry.example.com/team/${name}:1.27.${port}`,
  imagePullPolicy: 'IfNotPresent',
  args: ['--log-level=info', `--listen=:${port}`, '--enable-metrics', '--graceful-timeout=30s'],
  env: [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } } },
    { name: 'GOMAXPROCS', value: '2' },
  ],
  ports: [
    { name: 'http', containerPort: port, protocol: 'TCP' },
    { name: 'metrics', containerPort: port + 1, protocol: 'TCP' },
  ],
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
  livenessProbe: {
    httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
    periodSeconds: 10,
    failureThreshold: 3,
  },
  readinessProbe: {
    httpGet: { path: '/readyz', port: 'http', scheme: 'HTTP' },
    periodSeconds: 10,
    failureThreshold: 3,
  },
  terminationMessagePath: '/dev/termination-log',
  volumeMounts: [
    { name: 'config', mountPath: '/etc/app', readOnly: true },
    { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
  ],
})

const status = (name: string): Json => ({
  name,
  ready: true,
  started: true,
  restartCount: 2,
  image: `registry.example.com/team/${name}:1.27.1`,
  imageID: `registry.example.com/team/${name}@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1`,
  containerID: 'containerd://f5ad2ed1c45b4a3ab2f4b0d3ad5ad1aa1a4b9bb6b0f9e8f5a47d0dd2a7e2d7b4',
  state: { running: { startedAt: '2026-05-04T10:02:11Z' } },
  lastState: {},
})

export const pod: Json = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'checkout-7c9d5b6f4d-x2x7k',
    generateName: 'checkout-7c9d5b6f4d-',
    namespace: 'shop',
    uid: '0b5c1e0e-6a44-4f0c-9f3e-3a1b9a0c7f12',
    resourceVersion: '48211733',
    creationTimestamp: '2026-05-04T10:00:00Z',
    labels: {
      app: 'checkout',
      'app.kubernetes.io/name': 'checkout',
      'app.kubernetes.io/part-of': 'shop',
      'pod-template-hash': '7c9d5b6f4d',
      tier: 'backend',
    },
    annotations: {
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '8081',
      'checksum/config': 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2',
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'checkout-7c9d5b6f4d',
        uid: '5c6f3f0d-0d3a-4c57-b6d6-0e0b4d9fb5aa',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-05-04T10:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': { 'f:app': {}, 'f:tier': {} } }, 'f:spec': { 'f:containers': {} } },
      },
      {
        manager: 'kubelet',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-05-04T10:02:12Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:status': { 'f:conditions': {}, 'f:phase': {}, 'f:podIP': {} } },
        subresource: 'status',
      },
    ],
  },
  spec: {
    nodeName: 'worker-3',
    serviceAccountName: 'checkout',
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    priority: 0,
    containers: [container('checkout', 8080), container('proxy', 15000), container('reloader', 9533)],
    volumes: [
      { name: 'config', configMap: { name: 'checkout', defaultMode: 420 } },
      { name: 'token', projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }] } },
    ],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  },
  status: {
    phase: 'Running',
    conditions: [
      condition('Initialized', 1),
      condition('PodScheduled', 0),
      condition('ContainersReady', 2),
      condition('Ready', 2),
    ],
    hostIP: '10.1.0.13',
    podIP: '10.244.3.77',
    startTime: '2026-05-04T10:00:01Z',
    qosClass: 'Burstable',
    containerStatuses: [status('checkout'), status('proxy'), status('reloader')],
  },
}
