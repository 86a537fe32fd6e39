/** Derives the state of a run from its pod. */

import type { KubeObject } from '../../../kube/index.ts'
import type { ContainerStatus } from '../../../kube/kinds/index.ts'
import type { Json } from '../../../runtime/index.ts'

export interface Pod extends KubeObject {
  readonly status?: {
    readonly phase?: string
    readonly reason?: string
    readonly message?: string
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
  }
}

export type Observed =
  | { readonly state: 'running' }
  | { readonly state: 'succeeded' }
  | { readonly state: 'failed'; readonly reason: string; readonly message: string; readonly hasStarted: boolean }

/** Waiting reasons that fail the run at once: the kubelet retries them without end. */
const fatalWaitingReasons: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
])

export function observe({ status = {} }: Pod): Observed {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  if (status.phase === 'Succeeded') return { state: 'succeeded' }
  if (status.phase === 'Failed') {
    const broken = all.find(({ state }) => state?.terminated !== undefined && state.terminated.exitCode !== 0)
    const message =
      broken === undefined
        ? (status.message ?? status.reason ?? 'the pod failed')
        : `container ${broken.name} ended with exit code ${broken.state?.terminated?.exitCode}`
    return { state: 'failed', reason: 'ContainerFailed', message, hasStarted: true }
  }
  const stuck = all.find(({ state }) => fatalWaitingReasons.has(state?.waiting?.reason ?? ''))
  if (stuck === undefined) return { state: 'running' }
  const { reason = '', message = '' } = stuck.state?.waiting ?? {}
  return {
    state: 'failed',
    reason,
    message: `container ${stuck.name}: ${reason} ${message}`.trim(),
    hasStarted: false,
  }
}

/** The pod in the format of the provider status. */
export function podStatus({ metadata, status = {} }: Pod, lastRun: string): Json {
  const find = (list: readonly ContainerStatus[] = [], name: string) => list.find((one) => one.name === name)
  const shown = (container: ContainerStatus | undefined) =>
    container === undefined
      ? {}
      : { image: container.image ?? '', imageID: container.imageID ?? '', state: (container.state ?? {}) as Json }
  return {
    podName: metadata.name,
    lastRun,
    containerStatus: shown(find(status.containerStatuses, 'main')),
    initContainerStatus: shown(find(status.initContainerStatuses, 'init')),
    waitContainerStatus: shown(find(status.containerStatuses, 'wait')),
  }
}
