/** Registers nodes and renews their leases. */
import { isAlreadyExists, isNotFound, type KubeClient } from '../../kube/index.ts'
import { type Node, type NodeCondition, type ResourceList, resources, type Taint } from '../../kube/kinds/index.ts'
import type { Clock, Instant, Logger } from '../../runtime/index.ts'
import { microTimestamp, timestamp } from '../kinds/time.ts'

export interface NodeSpec {
  readonly name: string
  readonly address: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  readonly capacity?: ResourceList
  /** The port of the kubelet endpoint, if it listens. */
  readonly port?: number
}

const leaseNamespace = 'kube-node-lease'

const defaultCapacity: ResourceList = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '1000' }

function conditions(now: Instant): readonly NodeCondition[] {
  const time = timestamp(now)
  const condition = (type: string, status: string, reason: string, message: string): NodeCondition => ({
    type,
    status,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason,
    message,
  })
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ]
}

export function nodeObject(spec: NodeSpec, version: string, now: Instant): Node {
  const capacity = { ...defaultCapacity, ...spec.capacity }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: spec.name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': spec.name,
        ...spec.labels,
      },
    },
    ...(spec.taints === undefined ? {} : { spec: { taints: spec.taints } }),
    status: {
      capacity,
      allocatable: capacity,
      conditions: conditions(now),
      addresses: [
        { type: 'InternalIP', address: spec.address },
        { type: 'Hostname', address: spec.name },
      ],
      ...(spec.port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: spec.port } } }),
      nodeInfo: {
        machineID: spec.name,
        systemUUID: spec.name,
        bootID: spec.name,
        kernelVersion: '6.0.0',
        osImage: 'Carabiner sandbox',
        containerRuntimeVersion: 'containerd://2.0.0',
        kubeletVersion: version,
        kubeProxyVersion: version,
        operatingSystem: 'linux',
        architecture: 'amd64',
      },
    },
  }
}

export async function register(client: KubeClient, spec: NodeSpec, clock: Clock): Promise<void> {
  const nodes = client.of(resources.nodes)
  const served = (await client.raw('GET', '/version')) as { readonly gitVersion?: string }
  const object = nodeObject(spec, served.gitVersion ?? 'v1.35.0', clock.now())
  try {
    await nodes.create(object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    // The node exists after a restart: update its status and address.
    const value = { status: object.status ?? {} }
    await nodes.patch(spec.name, { type: 'strategic', value }, { subresource: 'status' })
  }
}

async function renew(client: KubeClient, name: string, leaseSeconds: number, clock: Clock): Promise<void> {
  const leases = client.of(resources.leases)
  const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: microTimestamp(clock.now()) }
  try {
    await leases.patch(name, { type: 'merge', value: { spec } }, { namespace: leaseNamespace })
  } catch (error) {
    if (!isNotFound(error)) throw error
    const metadata = { name, namespace: leaseNamespace }
    await leases.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec })
  }
}

/** Renews the lease four times per lease duration until `signal` aborts. */
export async function renewLease(
  client: KubeClient,
  { name, leaseSeconds }: { readonly name: string; readonly leaseSeconds: number },
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await renew(client, name, leaseSeconds, clock)
    } catch (error) {
      log.warn('node lease not renewed', { node: name, error })
    }
    try {
      await clock.sleep(leaseSeconds * 250, signal)
    } catch {
      return
    }
  }
}
