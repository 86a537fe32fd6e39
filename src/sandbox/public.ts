/**
 * A Kubernetes cluster in one process: API server, controllers, scheduler and nodes. For development and tests, not for
 * production. Without a socket it runs wherever its runtime runs, also in virtual time.
 */
import { createClient, handlerTransport, type Transport } from '../kube/index.ts'
import type { HttpHandler, Runtime } from '../runtime/index.ts'
import { ApiServer, type ApiServerOptions } from './apiserver/server.ts'
import { attachNodes, type NodesOptions } from './nodes/attach.ts'
import { type ControllersOptions, startControllers } from './start.ts'

export { ApiServer, type ApiServerOptions, type Credentials, createCredentials } from './apiserver/server.ts'
export { type DataFolder, openDataFolder, type SavedData } from './apiserver/storage/data/folder.ts'
export type { Journal } from './apiserver/storage/data/journal.ts'
export { attachNodes, type Nodes, type NodesOptions } from './nodes/attach.ts'
export type { NodeSpec } from './nodes/registration.ts'
export type { Behaviour, Script } from './nodes/simulate/behaviour.ts'
export { type Controllers, type ControllersOptions, startControllers } from './start.ts'

export interface SandboxOptions
  extends Omit<ApiServerOptions, 'podLogs'>,
    ControllersOptions,
    Omit<NodesOptions, 'informers'> {}

/** The user of requests made inside this process. */
type User = Parameters<ApiServer['as']>[0]

export interface Sandbox {
  /** Handles requests from outside, which need credentials. */
  readonly handler: HttpHandler
  /** Calls the API server directly as this user, by default as an administrator. */
  transport(user?: User): Transport
  readonly adminToken: string
  /** Resolves when controllers and nodes are running. */
  readonly ready: Promise<void>
  /** Stops controllers and nodes; a journal is closed by its owner. */
  stop(): Promise<void>
}

/** Only this process watches the node leases, so they need few renewals. */
const sandboxLeaseSeconds = 3600

export function createSandbox(runtime: Runtime, options: SandboxOptions = {}): Sandbox {
  const server = new ApiServer(runtime, {
    ...options,
    podLogs: async ({ uid, ...query }) => nodes.logs(uid, query),
  })
  const transport = (user?: User) => handlerTransport(server.as(user))
  // managedFields record the user agent, so clients use the names of the real components.
  const clientOf = (userAgent: string) =>
    createClient({ transport: transport(), runtime, userAgent, onWarning: () => {} })
  const controllers = startControllers(clientOf('kube-controller-manager'), runtime, options)
  const nodes = attachNodes(clientOf('kubelet'), runtime, {
    leaseSeconds: sandboxLeaseSeconds,
    areContainersLost: options.journal !== undefined,
    ...options,
    informers: controllers.informers,
  })
  return {
    handler: server.handle,
    transport,
    adminToken: server.adminToken,
    ready: Promise.all([controllers.ready, nodes.ready, options.journal?.flushed()]).then(() => undefined),
    async stop() {
      await nodes.stop()
      await controllers.stop()
    },
  }
}
