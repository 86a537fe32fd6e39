/**
 * `carabiner`: what a controller needs, from one address. Simulation and sandbox, script hooks, deployers and the languages have addresses of their
 * own, so that importing this one does not load them.
 */

export {
  type Cache,
  createEventRecorder,
  createLeadership,
  createReflector,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  OwnWrites,
  type ReconcileResult,
  type ResourceType,
  resources,
  runController,
  source,
  TerminalError,
} from './kube/index.ts'
export type * from './kube/kinds/index.ts'
export { type ConnectOptions, connect } from './kube/network/index.ts'
export { CarabinerError, type Runtime } from './runtime/index.ts'
export { createRealRuntime } from './runtime/real/index.ts'
