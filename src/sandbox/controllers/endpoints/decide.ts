/** The endpoints of a Service: the selected pods with the ports of the Service. */
import { type EndpointSlice, type Pod, resources, type Service } from '../../../kube/kinds/index.ts'
import { controllerRef } from '../claims/controller-refs.ts'
import { isFinished, isReady } from '../pods/state.ts'

function portOf(pod: Pod, target: number | string): number | undefined {
  if (typeof target === 'number') return target
  for (const { ports = [] } of pod.spec.containers) {
    const found = ports.find(({ name }) => name === target)
    if (found !== undefined) return found.containerPort
  }
  return undefined
}

/** Undefined for a Service without selector: its endpoints are managed by others. */
export function decideEndpoints(service: Service, pods: readonly Pod[]): EndpointSlice | undefined {
  const { metadata, spec } = service
  if (spec?.selector === undefined || Object.keys(spec.selector).length === 0 || spec.type === 'ExternalName')
    return undefined
  const reachable = pods.filter((pod) => pod.status?.podIP !== undefined && !isFinished(pod))
  const first = reachable[0]
  const ports = (spec.ports ?? []).flatMap(({ name = '', port, targetPort = port, protocol = 'TCP' }) => {
    const number = first === undefined ? undefined : portOf(first, targetPort)
    return number === undefined ? [] : [{ name, port: number, protocol }]
  })
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: '',
      generateName: `${metadata.name}-`,
      namespace: metadata.namespace ?? '',
      labels: {
        ...metadata.labels,
        'kubernetes.io/service-name': metadata.name,
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [controllerRef(service, resources.services)],
    },
    addressType: 'IPv4',
    endpoints: reachable.map((pod) => {
      const terminating = pod.metadata.deletionTimestamp !== undefined
      const serving = isReady(pod)
      const { name, namespace = '', uid = '' } = pod.metadata
      return {
        addresses: [pod.status?.podIP ?? ''],
        conditions: {
          ready: spec.publishNotReadyAddresses === true || (serving && !terminating),
          serving,
          terminating,
        },
        ...(pod.spec.nodeName === undefined ? {} : { nodeName: pod.spec.nodeName }),
        targetRef: { kind: 'Pod', name, namespace, uid },
      }
    }),
    ports,
  }
}
