/** What `carabiner/kube` is in Node.js: the room and connections over the network. In a browser it is `index.ts` alone. */
export * from './index.ts'
export { type Cluster, type ConnectOptions, connect, connectTo } from './network/index.ts'
