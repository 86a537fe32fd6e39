/**
 * What a node runs containers with. The kubelet knows pods, back-off and statuses; an engine knows how one container starts, becomes
 * ready, writes output and ends. Two engines exist: one pretends, one runs local processes.
 */
import type { Container, Pod } from '../kinds/pod.ts'

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
  /** 0 for the first start of the container. */
  readonly attempt: number
  readonly podIP: string
  readonly nodeName: string
  readonly hostIP: string
}

/** What an engine tells about a container it was asked to start: `started`, then readiness, and `exited` exactly once, or `refused`. */
export type ContainerNews =
  | { readonly kind: 'started' }
  /** Whether the container answers its readiness probe. */
  | { readonly kind: 'ready'; readonly ready: boolean }
  | { readonly kind: 'exited'; readonly exit: Exit }
  /** The container cannot be started: an image or a reference is missing. The kubelet tries again. */
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }

export type Tell = (news: ContainerNews) => void

export interface RunningContainer {
  /** Asks the container to end, and ends it by force after `grace` milliseconds. */
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
  start(request: StartRequest, tell: Tell): RunningContainer
  /** Output of a container of this pod, oldest first; undefined when it never ran here. */
  logs(podUid: string, query: LogQuery): AsyncIterable<Uint8Array> | undefined
  /** The pod is gone: nothing of it is kept. */
  forget(pod: Pod): Promise<void>
}
