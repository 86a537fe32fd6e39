/** What `carabiner/kube` is in Node.js: the room and connections over the network. In a browser it is `public.ts` alone. */

export { type Cluster, type ConnectOptions, connect, connectTo } from './network/index.ts'
export * from './public.ts'
