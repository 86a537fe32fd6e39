/**
 * The interface between the operator and its surfaces. The operator knows a surface only by what is declared here.
 */
import type { RunMemory } from '../hooks/index.ts'
import type { KubeClient, KubeObject } from '../kube/index.ts'
import type { HttpHandler, Runtime } from '../runtime/index.ts'

export interface SurfaceContext {
  /** A client that shares the connection and the rate limit evenly with the other surfaces. */
  readonly client: KubeClient
  /** Writes what the surface installs, where that needs more rights than its work. @default client */
  readonly installer?: KubeClient
  readonly runtime: Runtime
  /** Aborts when leadership is lost or the operator shuts down: writes must stop at once. */
  readonly signal: AbortSignal
  /** The latest runs of hooks of all surfaces. @default a memory of the surface's own */
  readonly runs?: RunMemory
}

export interface RunningSurface {
  /** Resolves once the surface's caches are filled and it reconciles. */
  readonly ready: Promise<void>
  /** Lets running work finish and resolves when nothing runs. */
  stop(): Promise<void>
}

/** A rule of an RBAC Role. */
export interface AccessRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface InstallationContext {
  /** User name of the operator's service account. */
  readonly user: string
  readonly namespace: string
}

export interface Installation {
  /** Rules for the whole cluster. */
  readonly rules: readonly AccessRule[]
  /** Rules for the operator's own namespace. */
  readonly ownRules: readonly AccessRule[]
  /** In the order they are applied. */
  readonly objects: readonly KubeObject[]
}

export interface Surface {
  readonly name: string
  /** Objects the surface needs in the cluster, in the order they are applied: resource definitions, gates, roles. */
  readonly resources: readonly KubeObject[]
  /** Rules and objects that depend on the operator's user name and namespace. */
  installation?(context: InstallationContext): Installation
  /** Requests below `/<name>/` of the operator's HTTP server; from this machine only. */
  readonly handler?: HttpHandler
  /** Requests for whole paths that others expect at the root, for example `/queue`. */
  readonly routes?: ReadonlyMap<string, HttpHandler>
  /** Additional lines for `/metrics` in the Prometheus text format. */
  moreMetrics?(): string
  /**
   * Optional; called before everything else and without a cluster. It starts child processes (for example `hook --config`) so that they run
   * while this thread connects to the cluster, and resolves once they are started, even when starting failed.
   */
  prepare?(context: Omit<SurfaceContext, 'client'>): Promise<void>
  /** Work of every replica, leader or not. */
  serve?(context: SurfaceContext): Promise<Pick<RunningSurface, 'stop'> | undefined>
  /** Work of the leader only. */
  start(context: SurfaceContext): Promise<RunningSurface>
}
