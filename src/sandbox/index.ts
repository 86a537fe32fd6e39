/**
 * A cluster in a process, put together from its parts: API server, controllers, scheduler, nodes. For trying and testing, never for
 * production. Without a socket in front it runs wherever its runtime runs, in virtual time too.
 */
import { createClient } from '../kube/client/create.ts'
import { handlerTransport } from '../kube/transport/handler.ts'
import type { Transport } from '../kube/transport/transport.ts'
import type { HttpHandler } from '../runtime/http.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { ApiServer, type ApiServerOptions } from './apiserver/server.ts'
import { attachNodes, type NodesOptions } from './nodes/attach.ts'
import { type ControllersOptions, startControllers } from './start.ts'

export { ApiServer, type ApiServerOptions } from './apiserver/server.ts'
export { attachNodes, type Nodes, type NodesOptions } from './nodes/attach.ts'
export type { NodeSpec } from './nodes/registration.ts'
export type { Behaviour, Script } from './nodes/simulate/behaviour.ts'
export { type Controllers, type ControllersOptions, startControllers } from './start.ts'

export interface SandboxOptions
  extends Omit<ApiServerOptions, 'podLogs'>,
    ControllersOptions,
    Omit<NodesOptions, 'informers'> {}

/** Whom a request of this process counts as. */
type User = Parameters<ApiServer['as']>[0]

export interface Sandbox {
  /** For requests from outside, with credentials. */
  readonly handler: HttpHandler
  /** Straight into the API server, as this user; without one, as an administrator. */
  transport(user?: User): Transport
  readonly adminToken: string
  /** Controllers and nodes are at work. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

/** Nobody but us watches these leases, so that they need little renewing. */
const sandboxLeaseSeconds = 3600

export function createSandbox(runtime: Runtime, options: SandboxOptions = {}): Sandbox {
  const server = new ApiServer(runtime, {
    ...options,
    podLogs: async ({ uid, ...query }) => nodes.logs(uid, query),
  })
  const transport = (user?: User) => handlerTransport(server.as(user))
  // Objects tell who manages them: the names are those of the programs that would be at work elsewhere.
  const clientOf = (userAgent: string) =>
    createClient({ transport: transport(), runtime, userAgent, onWarning: () => {} })
  const controllers = startControllers(clientOf('kube-controller-manager'), runtime, options)
  const nodes = attachNodes(clientOf('kubelet'), runtime, {
    leaseSeconds: sandboxLeaseSeconds,
    ...options,
    informers: controllers.informers,
  })
  return {
    handler: server.handle,
    transport,
    adminToken: server.adminToken,
    ready: Promise.all([controllers.ready, nodes.ready]).then(() => undefined),
    async stop() {
      await nodes.stop()
      await controllers.stop()
    },
  }
}
