/** Defaults of pods and of everything that appears in a pod spec. */
import type { Json, JsonObject } from '../../../runtime/index.ts'
import { changed, type DefaultRule, fill, filled, isEmptyMap, listAt, objectAt } from './fill.ts'

/** The default imagePullPolicy: Always for the tag `latest` or no tag, because the image can change under that name. */
function pullPolicy(image: Json | undefined): string {
  const reference = typeof image === 'string' ? image : ''
  const [name = ''] = reference.split('@')
  if (name !== reference) return 'IfNotPresent'
  const colon = name.lastIndexOf(':')
  const tag = colon > name.lastIndexOf('/') ? name.slice(colon + 1) : 'latest'
  return tag === 'latest' ? 'Always' : 'IfNotPresent'
}

const container: DefaultRule = (value) =>
  filled(value, {
    imagePullPolicy: pullPolicy(value['image']),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  })

/** In a pod, but not in a pod template, requests default to limits. */
function requestsFromLimits(containers: readonly JsonObject[]): readonly JsonObject[] {
  return containers.map((one) =>
    changed(one, 'resources', (resources) => {
      const limits = objectAt(resources, 'limits')
      if (isEmptyMap(limits)) return resources
      return changed(resources, 'requests', (requests) => filled(requests, limits))
    }),
  )
}

function hostPorts(containers: readonly JsonObject[]): readonly JsonObject[] {
  return containers.map((one) => {
    const ports = listAt(one, 'ports')
    if (ports.every((port) => port['hostPort'] !== undefined)) return one
    return { ...one, ports: ports.map((port) => filled(port, { hostPort: port['containerPort'] ?? 0 })) }
  })
}

const pod: DefaultRule = (value) =>
  changed(value, 'spec', (given) => {
    let spec = filled(given, { enableServiceLinks: true })
    for (const field of ['containers', 'initContainers']) {
      const containers = listAt(spec, field)
      const requested = requestsFromLimits(containers)
      const opened = spec['hostNetwork'] === true ? hostPorts(requested) : requested
      if (opened.some((one, index) => one !== containers[index])) spec = { ...spec, [field]: opened }
    }
    return spec
  })

const volume: DefaultRule = (value) => (Object.keys(value).length <= 1 ? { ...value, emptyDir: {} } : value)

export const podDefaults: Readonly<Record<string, DefaultRule>> = {
  'core.v1.Pod': pod,
  'core.v1.PodSpec': fill({
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  }),
  'core.v1.Container': container,
  'core.v1.EphemeralContainer': container,
  'core.v1.Probe': fill({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  'core.v1.HTTPGetAction': fill({ path: '/', scheme: 'HTTP' }),
  'core.v1.GRPCAction': (value) => ('service' in value ? value : { ...value, service: '' }),
  'core.v1.ObjectFieldSelector': fill({ apiVersion: 'v1' }),
  'core.v1.Volume': volume,
  'core.v1.SecretVolumeSource': fill({ defaultMode: 0o644 }),
  'core.v1.ConfigMapVolumeSource': fill({ defaultMode: 0o644 }),
  'core.v1.DownwardAPIVolumeSource': fill({ defaultMode: 0o644 }),
  'core.v1.ProjectedVolumeSource': fill({ defaultMode: 0o644 }),
  'core.v1.ServiceAccountTokenProjection': fill({ expirationSeconds: 3600 }),
  'core.v1.HostPathVolumeSource': (value) => ('type' in value ? value : { ...value, type: '' }),
  'core.v1.ResourceFieldSelector': (value) => ('divisor' in value ? value : { ...value, divisor: '0' }),
}
