/**
 * The operator as a Deployment: one replica leads, the others stand by and serve webhooks. It needs no rights on its node and writes nothing
 * to its disk.
 */
import type { KubeObject } from '../../kube/object.ts'
import { type OperatorSettings, type SettingName, settings } from '../settings.ts'
import { labels, type Place, selector } from './place.ts'

export interface WorkloadOptions {
  readonly image: string
  readonly replicas: number
  /** Settings that differ from the defaults. */
  readonly settings: Readonly<Partial<OperatorSettings>>
}

export function workloadManifests(place: Place, options: WorkloadOptions): readonly KubeObject[] {
  const { name, namespace } = place
  const metadata = { name, namespace, labels: labels(place) }
  const matchLabels = selector(place)
  return [
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
        template: { metadata: { labels: labels(place) }, spec: pod(place, options) },
      },
    } as KubeObject,
  ]
}

function pod(place: Place, { image, settings: given }: WorkloadOptions): object {
  const probe = (path: string) => ({ httpGet: { path, port: 'http' } })
  return {
    serviceAccountName: place.name,
    terminationGracePeriodSeconds: 30,
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selector(place) },
      },
    ],
    containers: [
      {
        name: 'operator',
        image,
        args: ['run'],
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
      },
    ],
  }
}

function ports({ settings: given }: Pick<WorkloadOptions, 'settings'>) {
  const { listenPort = settings.listenPort.default, gatePort } = given
  const http = { name: 'http', port: listenPort, targetPort: listenPort }
  return gatePort === undefined ? [http] : [http, { name: 'gate', port: 443, targetPort: gatePort }]
}
