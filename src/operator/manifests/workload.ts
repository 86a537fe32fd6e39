/**
 * The operator as a Deployment: one replica is leader, the others stand by and serve webhooks. It runs without privileges and with a
 * read-only root file system.
 */
import type { KubeObject } from '../../kube/index.ts'
import { canonicalJson, sha256Hex } from '../../runtime/index.ts'
import { type OperatorSettings, type SettingName, settings } from '../settings.ts'
import { labels, type OperatorId, selector } from './operator-id.ts'

export interface WorkloadOptions {
  readonly image: string
  readonly replicas: number
  /** Settings that differ from the defaults. */
  readonly settings: Readonly<Partial<OperatorSettings>>
  /** Arguments after `run`. @default none */
  readonly args?: readonly string[]
  /** Configuration files by name; they are mounted at `configurationFolder`. @default none */
  readonly files?: Readonly<Record<string, string>>
  /** Mounts an empty volume at /tmp. @default false */
  readonly hasScratch?: boolean
}

export const configurationFolder = '/etc/carabiner'

export function workloadManifests(operator: OperatorId, options: WorkloadOptions): readonly KubeObject[] {
  const { name, namespace } = operator
  const metadata = { name, namespace, labels: labels(operator) }
  const matchLabels = selector(operator)
  const { files } = options
  // The files are read only at start, so changed content must roll the pods.
  const annotations =
    files === undefined ? {} : { annotations: { 'carabiner.dev/configuration': sha256Hex(canonicalJson(files)) } }
  return [
    ...(files === undefined ? [] : [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: files } as KubeObject]),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: matchLabels, ports: ports(options) },
    } as KubeObject,
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { maxUnavailable: 1, selector: { matchLabels } },
    } as KubeObject,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: options.replicas,
        selector: { matchLabels },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: { metadata: { labels: labels(operator), ...annotations }, spec: pod(operator, options) },
      },
    } as KubeObject,
  ]
}

function pod(operator: OperatorId, options: WorkloadOptions): object {
  const { image, settings: given, args = [] } = options
  const probe = (path: string) => ({ httpGet: { path, port: 'http' } })
  const { volumes, volumeMounts } = volumesOf(operator, options)
  return {
    serviceAccountName: operator.name,
    terminationGracePeriodSeconds: 30,
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selector(operator) },
      },
    ],
    containers: [
      {
        name: 'operator',
        image,
        args: ['run', ...args],
        env: Object.entries(given).map(([name, value]) => ({
          name: settings[name as SettingName].env,
          value: String(value),
        })),
        ports: ports({ settings: given }).map(({ name, targetPort }) => ({ name, containerPort: targetPort })),
        livenessProbe: { ...probe('/healthz'), periodSeconds: 20, failureThreshold: 3 },
        readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
        resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '512Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        ...(volumeMounts.length === 0 ? {} : { volumeMounts }),
      },
    ],
    ...(volumes.length === 0 ? {} : { volumes }),
  }
}

function volumesOf({ name }: OperatorId, { files, hasScratch = false }: WorkloadOptions) {
  const all = [
    ...(files === undefined
      ? []
      : [{ name: 'configuration', configMap: { name }, mountPath: configurationFolder, readOnly: true }]),
    ...(hasScratch ? [{ name: 'scratch', emptyDir: {}, mountPath: '/tmp', readOnly: false }] : []),
  ]
  return {
    volumes: all.map(({ mountPath: _, readOnly: __, ...volume }) => volume),
    volumeMounts: all.map(({ name: volume, mountPath, readOnly }) => ({ name: volume, mountPath, readOnly })),
  }
}

function ports({ settings: given }: Pick<WorkloadOptions, 'settings'>) {
  const { listenPort = settings.listenPort.default, gatePort } = given
  const http = { name: 'http', port: listenPort, targetPort: listenPort }
  return gatePort === undefined ? [http] : [http, { name: 'gate', port: 443, targetPort: gatePort }]
}
