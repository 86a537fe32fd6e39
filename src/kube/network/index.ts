/** Connections over the network. A room of its own, because it needs Node.js: everything else in `kube` also runs in a browser. */
export { type Cluster, type ConnectOptions, connect, connectTo } from './connect.ts'
export { LargeResponses } from './response-limits.ts'
export { networkTransport } from './transport.ts'
