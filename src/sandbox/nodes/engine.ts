/**
 * The container runtime of a node. The kubelet handles pods, back-off and statuses; an engine starts and stops
 * containers, and reports readiness, output and exit. There are two: one simulates containers, one runs local
 * processes.
 */
import type { Container, Pod } from '../../kube/kinds/index.ts'

export interface Exit {
  readonly exitCode: number
  readonly signal?: number
  /** @default Completed for exit code 0, Error otherwise */
  readonly reason?: string
  readonly message?: string
}

export interface StartRequest {
  readonly pod: Pod
  readonly container: Container
  /** 0 for the first start. */
  readonly attempt: number
  readonly podIP: string
  readonly nodeName: string
  readonly hostIP: string
}

/** Events of a container: `started`, then readiness changes, and `exited` exactly once; or `startFailed` or `notExecutable`. */
export type ContainerEvent =
  | { readonly kind: 'started' }
  /** Result of the readiness probe. */
  | { readonly kind: 'ready'; readonly ready: boolean }
  | { readonly kind: 'exited'; readonly exit: Exit }
  /** The container cannot be started: an image or a reference is missing. The kubelet retries. */
  | { readonly kind: 'startFailed'; readonly reason: string; readonly message: string }
  /** The container was created, but its program cannot be executed. Counts as an attempt that exits with 128. */
  | { readonly kind: 'notExecutable'; readonly message: string }

export type ContainerListener = (event: ContainerEvent) => void

export interface RunningContainer {
  /** Asks the container to stop, and kills it after `grace` milliseconds. */
  stop(grace: number): void
}

export interface LogQuery {
  readonly container: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly tailLines?: number
  readonly limitBytes?: number
  readonly sinceSeconds?: number
  readonly sinceTime?: string
  readonly timestamps?: boolean
  readonly signal?: AbortSignal
}

export interface Engine {
  start(request: StartRequest, listener: ContainerListener): RunningContainer
  /** Output of a container of this pod, oldest first; undefined when it never ran. */
  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined
  /** The pod is deleted: removes all its data. */
  removePod(pod: Pod): Promise<void>
  /** All containers have been stopped: resolves when they have ended and nothing of them is left. */
  stop(): Promise<void>
}
