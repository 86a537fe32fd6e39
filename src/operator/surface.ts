/**
 * The seam where surfaces plug in. The operator knows plugs, not surfaces: what a surface brings is listed here, and nothing else of
 * it is visible outside its room.
 */
import type { KubeClient } from '../kube/client/client.ts'
import type { KubeObject } from '../kube/object.ts'
import type { HttpHandler } from '../runtime/http.ts'
import type { Runtime } from '../runtime/runtime.ts'

export interface SurfaceContext {
  /** A client that shares the connection and the rate limit fairly with the other surfaces. */
  readonly client: KubeClient
  readonly runtime: Runtime
  /** Aborts when leadership is lost or the operator shuts down: work stops at once. */
  readonly signal: AbortSignal
}

export interface RunningSurface {
  /** Resolves once the surface has seen the cluster's state and works. */
  readonly ready: Promise<void>
  /** Finishes what is under way and resolves when nothing runs any more. */
  stop(): Promise<void>
}

/** As RBAC has it. */
export interface AccessRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface InstallationPlace {
  /** User name the operator has. */
  readonly user: string
  readonly namespace: string
}

export interface Installation {
  /** Needed everywhere. */
  readonly rules: readonly AccessRule[]
  /** Needed in the operator's own namespace. */
  readonly ownRules: readonly AccessRule[]
  /** In the order they are applied. */
  readonly objects: readonly KubeObject[]
}

export interface Surface {
  readonly name: string
  /** Objects the surface needs in the cluster, in the order they are applied: resource definitions, gates, roles. */
  readonly resources: readonly KubeObject[]
  /** What an administrator puts into the cluster for it, once it is known as whom and where the operator runs. */
  installation?(place: InstallationPlace): Installation
  /** Requests below `/<name>/` of the operator's HTTP server; from this machine only. */
  readonly handler?: HttpHandler
  /** Requests for whole paths that others expect at the root, for example `/queue`. */
  readonly routes?: ReadonlyMap<string, HttpHandler>
  /** What `/metrics` has besides the metrics of the program, in the same format. */
  moreMetrics?(): string
  /**
   * Begins what needs no cluster; comes before everything else, if at all. Resolves when others are at work for it, be it well or not: to connect
   * the cluster takes this thread long enough that they had better begin before.
   */
  prepare?(context: Omit<SurfaceContext, 'client'>): Promise<void>
  /** Work of every replica, whether it leads or not. */
  serve?(context: SurfaceContext): Promise<Pick<RunningSurface, 'stop'> | undefined>
  /** Work of the one that leads. */
  start(context: SurfaceContext): Promise<RunningSurface>
}
