/** Pods as in a cluster: 10 KB of JSON each, a good part of it managedFields. */
export const podCount = 10_000

/** The text before and after the resource version, so that the server can change it without serializing the pod again. */
export interface PodText {
  readonly before: string
  readonly after: string
}

export function podText(index: number): PodText {
  const [before = '', after = ''] = JSON.stringify(pod(index)).split('@version@')
  return { before, after }
}

function pod(index: number): object {
  const name = `web-7d4b9c6f5d-${index.toString(36).padStart(5, '0')}`
  const time = '2026-01-01T00:00:00Z'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: 'web-7d4b9c6f5d-',
      namespace: `team-${index % 50}`,
      uid: `6f1c2d3e-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
      resourceVersion: '@version@',
      creationTimestamp: time,
      labels: { app: 'web', 'pod-template-hash': '7d4b9c6f5d', 'app.kubernetes.io/part-of': 'shop', tier: 'front' },
      annotations: {
        'prometheus.io/scrape': 'true',
        'example.com/config-hash': `${index}`.repeat(20),
        'kubectl.kubernetes.io/restartedAt': time,
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web-7d4b9c6f5d',
          uid: '11111111-2222-4333-8444-555555555555',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        managed('kube-controller-manager', time, { 'f:metadata': fields(12), 'f:spec': fields(40) }),
        managed('kube-scheduler', time, { 'f:status': fields(6) }),
        managed('kubelet', time, { 'f:status': fields(38) }),
      ],
    },
    spec: {
      containers: [container('web', index), container('proxy', index)],
      volumes: [
        { name: 'config', configMap: { name: 'web-config', defaultMode: 420 } },
        {
          name: 'kube-api-access-x',
          projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 'token' } }] },
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'web',
      nodeName: `node-${index % 200}`,
      schedulerName: 'default-scheduler',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    },
    status: {
      phase: 'Running',
      conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
        (type) => ({
          type,
          status: 'True',
          lastProbeTime: null,
          lastTransitionTime: time,
        }),
      ),
      hostIP: '10.0.0.1',
      podIP: `10.1.${index % 250}.${index % 200}`,
      podIPs: [{ ip: `10.1.${index % 250}.${index % 200}` }],
      startTime: time,
      containerStatuses: ['web', 'proxy'].map((container) => ({
        name: container,
        state: { running: { startedAt: time } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example.com/shop/${container}:1.2.3`,
        imageID: `registry.example.com/shop/${container}@sha256:${'0123456789abcdef'.repeat(4)}`,
        containerID: `containerd://${'fedcba9876543210'.repeat(4)}`,
        started: true,
      })),
      qosClass: 'Burstable',
    },
  }
}

function container(name: string, index: number): object {
  return {
    name,
    image: `registry.example.com/shop/${name}:1.2.3`,
    args: ['--port=8080', '--log-level=info', `--instance=${index}`],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: Array.from({ length: 12 }, (_, at) => ({ name: `SETTING_NUMBER_${at}`, value: `value of the setting ${at}` })),
    resources: { limits: { memory: '256Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/web', readOnly: true },
      { name: 'kube-api-access-x', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
    ],
    readinessProbe: {
      httpGet: { path: '/ready', port: 'http', scheme: 'HTTP' },
      periodSeconds: 10,
      failureThreshold: 3,
    },
    livenessProbe: { httpGet: { path: '/live', port: 'http', scheme: 'HTTP' }, periodSeconds: 10, failureThreshold: 3 },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  }
}

function managed(manager: string, time: string, fieldsV1: object): object {
  return { manager, operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1 }
}

function fields(count: number): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`f:someFieldName${at}`, { '.': {}, 'f:value': {} }]),
  )
}
